// What operators ask of all shards at once.

#include "actors/cluster/router/parts.hpp"
#include "actors/shard/moves/batches.hpp"

#include <algorithm>
#include <set>

namespace depositd::cluster {

namespace {

void add(queue_report& sum, const queue_report& x) {
  sum.ready += x.ready;
  sum.in_flight += x.in_flight;
  sum.users += x.users;
  sum.eligible_users += x.eligible_users;
  // A processor of a queue in several shards has a door in each of them.
  sum.processors = std::max(sum.processors, x.processors);
  sum.handed_out += x.handed_out;
  sum.finished += x.finished;
}

void merge(queues_listed& sum, const queues_listed& x) {
  sum.suspended = sum.suspended || x.suspended;
  for (const auto& queue : x.queues) {
    // Outboxes stay for ever; they are of interest while they hold something.
    if (queue.name.starts_with(shard::outbox_prefix) && queue.ready == 0)
      continue;
    const auto at = std::lower_bound(
      sum.queues.begin(), sum.queues.end(), queue.name,
      [](const auto& y, const auto& name) { return y.name < name; });
    if (at != sum.queues.end() && at->name == queue.name)
      add(*at, queue);
    else
      sum.queues.insert(at, queue);
  }
}

void merge(users_listed& sum, const users_listed& x) {
  for (const auto& queue : x.queues) {
    const auto at
      = std::find_if(sum.queues.begin(), sum.queues.end(),
                     [&](const auto& y) { return y.queue == queue.queue; });
    if (at == sum.queues.end())
      sum.queues.push_back(queue);
    else
      at->entries.insert(at->entries.end(), queue.entries.begin(),
                         queue.entries.end());
  }
}

} // namespace

caf::result<matching_parked> park(shard_router_pointer self,
                                  const park_matching& x) {
  if (auto refused = refuse(self))
    return refused;
  std::set<shard_number> shards;
  const auto spread = x.queue.empty() || is_spread(self, x.queue);
  const auto count = self->state.to.options.count;
  // Only a queue of deposits is where its users are.
  if (!spread)
    shards.insert(shard_of(x.queue, count));
  else if (x.users.empty() || x.queue.empty())
    for (const auto shard : all_shards(self))
      shards.insert(shard);
  else
    for (const auto& user : x.users)
      shards.insert(shard_of(user, count));
  return ask_shards<matching_parked, matching_parked>(
    self, {shards.begin(), shards.end()}, x, repeats::never,
    [](matching_parked& sum, const matching_parked& y) {
      sum.count += y.count;
    });
}

caf::result<queues_listed> list_all(shard_router_pointer self,
                                    const list_queues& x) {
  return ask_shards<queues_listed, queues_listed>(
    self, all_shards(self), x, repeats::harmless,
    [](queues_listed& sum, const queues_listed& y) { merge(sum, y); });
}

caf::result<users_listed> list_members(shard_router_pointer self,
                                       const list_users& x) {
  return ask_shards<users_listed, users_listed>(
    self, all_shards(self), x, repeats::harmless,
    [](users_listed& sum, const users_listed& y) { merge(sum, y); });
}

} // namespace depositd::cluster
