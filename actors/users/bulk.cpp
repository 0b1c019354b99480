// What is done to very many items of the user: a slice per command, the next
// one when the last is durable, and everybody else in between.

#include "actors/users/command.hpp"
#include "actors/users/work.hpp"
#include "messages/values/tallies.hpp"

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>

namespace depositd::users {

namespace {

/// Puts some of it into the command; true if there may be more.
using slice_taker = std::function<bool(user_command&)>;

/// `answer`, which may be null, leaves with the last slice.
void run_in_slices(self_pointer self, queue_number number, slice_taker next,
                   std::shared_ptr<shared_reply> answer) {
  user_command todo{self, number};
  const auto more = todo.queue != nullptr && next(todo);
  if (!more && answer)
    todo.deliver(answer);
  todo.commit();
  if (!more)
    return;
  ++self->state.bulk_actions;
  // A disk takes as long as it takes. Where it fails the shard starts over, and
  // the answer that is dropped here says so.
  self->request(user_self{self}, caf::infinite, journal::pass_journal{})
    .then(
      [=, next = std::move(next)](const done&) {
        --self->state.bulk_actions;
        run_in_slices(self, number, next, answer);
      },
      [=](const caf::error&) { --self->state.bulk_actions; });
}

/// Who works on the item, if anybody does, is to know that it ends.
void tell_holder(user_command& todo, item_id id) {
  auto x = todo.queue->ledger.glance(id);
  if (x && x->state == item_state::claimed)
    todo.deliver(
      purge_notice{caf::actor_cast<caf::strong_actor_ptr>(todo.queue->actor),
                   {id, std::move(x->processor)}});
}

} // namespace

void purge(self_pointer self, const purge_items& x) {
  const auto slice_items = self->state.options.slice_items;
  run_in_slices(
    self, x.queue,
    [=, id_last = x.id_last](user_command& todo) {
      auto purged = todo.queue->ledger.purge(now(self), id_last, slice_items);
      for (const auto& one : purged)
        tell_holder(todo, std::get<item_finished>(one).id);
      const auto count = purged.size();
      if (count > 0)
        tally(tally_of::items_purged, todo.queue->name, {}, count);
      end_purged(todo, self, std::move(purged));
      return count == slice_items;
    },
    x.answer);
}

void collapse(self_pointer self, const collapse_items& x) {
  const auto slice_items = self->state.options.slice_items;
  const auto ids = std::make_shared<const std::vector<item_id>>(x.ids);
  run_in_slices(
    self, x.queue,
    [=, at = ids->begin()](user_command& todo) mutable {
      const auto end =
        at + std::min<std::ptrdiff_t>(slice_items, ids->end() - at);
      todo.extras.collapses_done = static_cast<std::uint32_t>(end - at);
      for (auto& ended : todo.queue->ledger.collapse({at, end}, now(self)))
        todo.end(std::move(ended));
      at = end;
      return at != ids->end();
    },
    nullptr);
}

void release_all(self_pointer self, const release_claims& x) {
  const auto* queue = find_queue(self, x.queue);
  const auto token_last = queue != nullptr ? queue->ledger.token_last() : 0;
  const auto slice_items = self->state.options.slice_items;
  run_in_slices(
    self, x.queue,
    [=, number = x.queue](user_command& todo) {
      auto released =
        todo.queue->ledger.release_claims(token_last, now(self), slice_items);
      const auto count = released.size();
      for (auto& one : without_exhausted(self, number, std::move(released)))
        end_claim(todo, self, std::move(one), true);
      return count == slice_items;
    },
    x.answer);
}

} // namespace depositd::users
