// Deposits that will not be processed: one, or all that match, slice by slice
// as in bulk.cpp.

#include "actors/journal/gather.hpp"
#include "actors/shard/parts.hpp"

#include <map>
#include <memory>
#include <utility>

namespace depositd::shard {

namespace {

struct cancelling {
  cancel_matching what;
  reply_address where;
  std::uint32_t generation = 0;
  item_id id_last = 0; ///< newer ones were not meant
  item_id after = 0;   ///< up to this one all is done
  bool parked = false; ///< which of the two are looked at now: parked ones last
  matching_cancelled done;
};

using running = std::shared_ptr<cancelling>;
using gathering = journal::gathering<matching_cancelled>;

bool is_of_deposits(shard_pointer self, const std::string& queue) {
  const auto& queues = self->state.control->queues;
  const auto at = queues.find(queue);
  return at != queues.end() && at->second.kind == queue_kind::deposit;
}

void cancel_slice(shard_pointer self, const running& run);

void slice_cancelled(shard_pointer self, const running& run, bool more,
                     const caf::expected<matching_cancelled>& slice) {
  if (!slice)
    return journal::answer(run->where, slice.error());
  run->done.moved += slice->moved;
  if (self->state.journal.generation != run->generation)
    return journal::answer(
      run->where, caf::make_error(ec::store_failed,
                                  std::string{"the engine has started over"}));
  if (!more && run->parked)
    return journal::answer(run->where, caf::make_message(run->done));
  if (!more) {
    run->parked = true;
    run->after = 0;
  }
  cancel_slice(self, run);
}

void cancel_of_user(shard_pointer self, const gathering& all,
                    const std::string& user, cancel_items what) {
  const auto got = all.expect<items_cancelled>(
    [](matching_cancelled& sum, const items_cancelled& x) {
      sum.moved += x.count;
    });
  with_user(self, user, what.queue, [=](const user_actor& whom) {
    self->request(whom, self->state.options.request_timeout, what)
      .then([=](const items_cancelled& x) { got(x); },
            [=](const caf::error& why) { got(why); });
  });
}

void cancel_matched(shard_pointer self, const running& run,
                    const items_matched& found) {
  std::map<std::pair<std::string, queue_number>, cancel_items> parts;
  bool more = found.items.size() == self->state.options.slice_items;
  for (const auto& item : found.items) {
    if (item.id > run->id_last) {
      more = false;
      break;
    }
    run->after = item.id;
    const auto number = find_queue(self, item.queue);
    if (!number || !is_of_deposits(self, item.queue))
      continue;
    ++run->done.matched;
    if (run->what.count_only)
      continue;
    auto& part = parts[{item.user, *number}];
    part.queue = *number;
    part.reason = run->what.reason;
    part.ids.push_back(item.id);
  }
  const gathering all{[=](const caf::expected<matching_cancelled>& slice) {
    slice_cancelled(self, run, more, slice);
  }};
  for (auto& [key, part] : parts)
    cancel_of_user(self, all, key.first, std::move(part));
  all.close();
}

void cancel_slice(shard_pointer self, const running& run) {
  const auto& options = self->state.options;
  const auto& what = run->what;
  self
    ->request(options.projector, options.request_timeout,
              match_items{what.queue, what.users, what.from_us, what.to_us,
                          run->parked, run->after, options.slice_items})
    .then([=](const items_matched& x) { cancel_matched(self, run, x); },
          [=](const caf::error& why) { journal::answer(run->where, why); });
}

} // namespace

caf::result<done> cancel_one(shard_pointer self, const cancel_deposit& x) {
  if (auto refused = refuse_intake(self))
    return refused;
  return answer_by_user<done>(
    self, x.user, x,
    caf::make_error(ec::not_found, "submission " + std::to_string(x.id)
                                     + " does not wait any more"));
}

caf::result<matching_cancelled> cancel_all(shard_pointer self,
                                           const cancel_matching& x) {
  if (auto refused = refuse_intake(self))
    return refused;
  if (!x.queue.empty() && !is_of_deposits(self, x.queue))
    return find_queue(self, x.queue) ? caf::make_error(
             ec::invalid_argument, "queue " + x.queue + " has no submissions")
                                     : no_queue(x.queue);
  auto run = std::make_shared<cancelling>();
  run->what = x;
  run->where = journal::take_reply(self);
  run->generation = self->state.journal.generation;
  run->id_last = self->state.id_last;
  cancel_slice(self, run);
  return journal::answered_later<matching_cancelled>();
}

} // namespace depositd::shard
