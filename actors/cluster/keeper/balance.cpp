// Takes and gives so that everybody has what the rules say.

#include "actors/cluster/keeper/parts.hpp"
#include "actors/rules/placement/placement.hpp"

#include <algorithm>

namespace depositd::cluster {

using rules::placement::engine_loads;

namespace {

/// How many shards each live engine has; ours as we know it.
engine_loads loads_of(shard_keeper_pointer self) {
  const auto& state = self->state;
  const auto& us = state.options.leases->self().name;
  engine_loads out;
  for (const auto& x : state.table.engines)
    out[x.who.name] = {0, x.reaches_logs};
  out[us] = {0, state.reaches_logs};
  for (const auto& x : state.table.shards)
    if (const auto at = out.find(x.owner.name);
        at != out.end() && at->first != us)
      ++at->second.shards;
  for (const auto& x : state.shards)
    if (x.now == phase::taking || x.now == phase::opening
        || x.now == phase::serving)
      ++out[us].shards;
  return out;
}

void take_free(shard_keeper_pointer self, engine_loads& all) {
  auto& state = self->state;
  const auto& us = state.options.leases->self().name;
  const auto now = self->clock().now();
  for (const auto& lease : state.table.shards) {
    auto& x = state.shards[lease.shard];
    if (!lease.owner.name.empty() && lease.owner.name != us) {
      x.is_free = false;
      continue;
    }
    if (x.now != phase::none)
      continue;
    if (!std::exchange(x.is_free, true))
      x.free_since = now;
    const auto long_free
      = now - x.free_since
        > std::chrono::milliseconds{state.options.lease_ms};
    if (now < x.rests_until)
      continue;
    // What we had when we crashed nobody else can take yet.
    const auto was_ours = lease.owner.name == us;
    if (was_ours
        || rules::placement::may_take(all, us, state.shards.size(),
                                      long_free)) {
      take(self, lease.shard);
      ++all[us].shards;
    }
  }
}

} // namespace

void balance(shard_keeper_pointer self) {
  auto& state = self->state;
  if (state.leaving)
    return;
  auto all = loads_of(self);
  take_free(self, all);
  // One at a time, and only when all else is at rest.
  const auto at_rest
    = std::all_of(state.shards.begin(), state.shards.end(),
                  [](const auto& x) {
                    return x.now == phase::none || x.now == phase::serving;
                  })
      && std::none_of(state.table.shards.begin(), state.table.shards.end(),
                      [](const auto& x) { return x.owner.name.empty(); });
  const auto& us = state.options.leases->self().name;
  if (!at_rest || !rules::placement::must_give(all, us, state.shards.size()))
    return;
  for (auto shard = static_cast<shard_number>(state.shards.size()); shard > 0;
       --shard)
    if (state.shards[shard - 1].now == phase::serving) {
      hand_over(self, shard - 1);
      return;
    }
}

} // namespace depositd::cluster
