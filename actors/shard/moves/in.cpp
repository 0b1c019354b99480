// Items of a queue that is moved here from another shard. A batch and the
// watermark that it has come are one group of the journal, so each item comes
// in once, however often its batch is sent.

#include "actors/shard/admission/admission.hpp"
#include "actors/shard/moves/batches.hpp"
#include "messages/values/test_points.hpp"

namespace depositd::shard {

namespace {

caf::error check(shard_pointer self, const carry_items& x) {
  const auto at = self->state.control->queues.find(x.queue);
  if (at == self->state.control->queues.end())
    return no_queue(x.queue);
  if (at->second.kind != queue_kind::message)
    return caf::make_error(ec::invalid_argument,
                           "queue " + x.queue + " takes deposits only");
  for (const auto& item : x.items)
    if (item.user.empty() || item.user.size() > record_user_bytes_max)
      return caf::make_error(ec::invalid_argument,
                             std::string{"not what a move sends"});
  return {};
}

accept_items::one arriving(carry_items::one& x) {
  accept_items::one out;
  out.priority = x.priority;
  out.size = x.size;
  out.kind = x.kind;
  out.body = std::make_shared<const std::string>(std::move(x.body));
  return out;
}

} // namespace

caf::result<items_carried> take_carried(shard_pointer self, carry_items& x) {
  if (auto refused = refuse_growth(self))
    return refused;
  if (auto wrong = check(self, x))
    return wrong;
  const auto number = *find_queue(self, x.queue);
  const auto name = moved_from(x.from);
  const auto reached = watermark_of(self, name, 0);
  admission coming{self, true}; // these were accepted long ago
  items_carried result;
  for (auto& item : x.items) {
    if (item.offset <= reached && !seeded_bug("moved_items_taken_twice")) {
      ++result.skipped;
      continue;
    }
    coming.add(number, item.user, arriving(item));
    ++result.accepted;
  }
  // Without any all of it has come, perhaps on its way to the journal still.
  if (result.accepted > 0) {
    // An event that changes nothing, as watermarks only go with events: all the
    // items may be swallowed as duplicates.
    coming.note(
      queue_changed{x.queue, self->state.control->queues.at(x.queue)});
    coming.go_with(raise_watermark(self, name, x.last, 0));
  }
  return coming.commit<items_carried>([=](const auto&) { return result; });
}

} // namespace depositd::shard
