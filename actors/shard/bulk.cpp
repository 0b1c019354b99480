// What operators and doors do to very many items: slice by slice, so that
// everybody else is served meanwhile. What is done of it is durable before more
// is begun, and stays done if a crash cuts it.

#include "actors/shard/parts.hpp"

#include <map>

namespace depositd::shard {

namespace {

/// Items of a range on their way to be parked, or taken back.
struct parking {
  park_matching what;
  reply_address where;
  std::uint32_t generation = 0;
  item_id id_last = 0; ///< newer ones were not meant
  item_id after = 0;   ///< up to this one all is done
  std::uint64_t count = 0;
  std::size_t open = 0; ///< of the slice: users who have not answered
  bool more = false;
  caf::error failure;
};

using running = std::shared_ptr<parking>;

bool is_stage(shard_pointer self, const std::string& queue) {
  return self->state.control->queues.at(queue).kind == queue_kind::stage;
}

void park_slice(shard_pointer self, const running& run);

void arrived(shard_pointer self, const running& run,
             const caf::error& why = {}) {
  if (why)
    run->failure = why;
  if (--run->open > 0)
    return;
  if (!run->failure && self->state.journal.generation != run->generation)
    run->failure = caf::make_error(ec::store_failed,
                                   std::string{"the engine has started over"});
  if (run->failure)
    journal::answer(run->where, run->failure);
  else if (run->more)
    park_slice(self, run);
  else
    journal::answer(run->where, caf::make_message(matching_parked{run->count}));
}

void park_one_user(shard_pointer self, const running& run,
                   const std::string& user, park_items what) {
  ++run->open;
  with_user(self, user, what.queue, [=](const user_actor& whom) {
    self->request(whom, self->state.options.request_timeout, what)
      .then([=](const done&) { arrived(self, run); },
            [=](const caf::error& why) { arrived(self, run, why); });
  });
}

void park_matched(shard_pointer self, const running& run,
                  const items_matched& found) {
  std::map<std::pair<std::string, queue_number>, park_items> parts;
  run->more = found.items.size() == self->state.options.slice_items;
  run->open = 1; // ours
  for (const auto& item : found.items) {
    if (item.id > run->id_last) {
      run->more = false;
      break;
    }
    run->after = item.id;
    const auto number = find_queue(self, item.queue);
    if (number && is_stage(self, item.queue))
      continue; // jobs are held and released
    ++run->count;
    if (!number || run->what.count_only)
      continue;
    auto& part = parts[{item.user, *number}];
    part.queue = *number;
    part.parked = run->what.parked;
    part.ids.push_back(item.id);
  }
  for (auto& [key, part] : parts)
    park_one_user(self, run, key.first, std::move(part));
  arrived(self, run);
}

void park_slice(shard_pointer self, const running& run) {
  const auto& options = self->state.options;
  const auto& what = run->what;
  self
    ->request(options.projector, options.request_timeout,
              match_items{what.queue, what.users, what.from_us, what.to_us,
                          !what.parked, run->after, options.slice_items})
    .then([=](const items_matched& x) { park_matched(self, run, x); },
          [=](const caf::error& why) { journal::answer(run->where, why); });
}

} // namespace

caf::result<matching_parked> park_all(shard_pointer self,
                                      const park_matching& x) {
  if (auto refused = refuse_intake(self))
    return refused;
  auto run = std::make_shared<parking>();
  run->what = x;
  run->where = journal::take_reply(self);
  run->generation = self->state.journal.generation;
  run->id_last = self->state.id_last;
  park_slice(self, run);
  return journal::answered_later<matching_parked>();
}

caf::result<done> confirm_intake(shard_pointer self) {
  if (auto refused = refuse_intake(self))
    return refused;
  return done{};
}

caf::result<done> purge_all(shard_pointer self, const purge_queue& x) {
  if (auto refused = refuse_intake(self))
    return refused;
  const auto number = find_queue(self, x.queue);
  if (!number)
    return no_queue(x.queue);
  if (is_stage(self, x.queue))
    return caf::make_error(ec::invalid_argument,
                           "queue " + x.queue
                             + " has jobs: fail or delete them instead");
  const auto users = members_of(self, *number);
  if (users.empty())
    return done{};
  const auto share =
    journal::share_reply(journal::take_reply(self), users.size(),
                         [] { return caf::make_message(done{}); });
  for (const auto& user : users)
    send_to_user(self, user, *number,
                 purge_items{*number, self->state.id_last, share});
  return journal::answered_later<done>();
}

} // namespace depositd::shard
