// Who should have what: every live engine about as many shards as the others.

#include "actors/cluster/keeper/parts.hpp"

#include <algorithm>

namespace depositd::cluster {

namespace {

/// How many shards each live engine has, by name; ours as we know it.
std::map<std::string, std::size_t> loads(shard_keeper_pointer self) {
  const auto& state = self->state;
  const auto& us = state.options.leases->self().name;
  std::map<std::string, std::size_t> out{{us, 0}};
  for (const auto& x : state.table.engines)
    out.try_emplace(x.who.name, 0);
  for (const auto& x : state.table.shards)
    if (const auto at = out.find(x.owner.name);
        at != out.end() && at->first != us)
      ++at->second;
  for (const auto& x : state.shards)
    if (x.now == phase::taking || x.now == phase::opening
        || x.now == phase::serving)
      ++out[us];
  return out;
}

struct shares {
  std::size_t least = 0; ///< that every engine should have
  std::size_t most = 0;  ///< that one may have
};

shares shares_of(std::size_t shards, std::size_t engines) {
  return {shards / engines, (shards + engines - 1) / engines};
}

/// Who has least takes first; what stays free for a whole lease anybody takes.
bool may_take(const std::map<std::string, std::size_t>& all,
              const std::string& us, const shares& fair, bool long_free) {
  const auto ours = all.at(us);
  if (ours < fair.least || long_free)
    return true;
  return ours < fair.most
         && std::all_of(all.begin(), all.end(), [&](const auto& x) {
              return x.first == us || x.second >= ours;
            });
}

bool must_give(const std::map<std::string, std::size_t>& all,
               const std::string& us, const shares& fair) {
  const auto ours = all.at(us);
  if (ours > fair.most)
    return true;
  const auto somebody_lacks
    = std::any_of(all.begin(), all.end(),
                  [&](const auto& x) { return x.second < fair.least; });
  // Of those with one more than others the first by name gives.
  const auto first
    = std::find_if(all.begin(), all.end(),
                   [&](const auto& x) { return x.second > fair.least; });
  return somebody_lacks && first != all.end() && first->first == us;
}

void take_free(shard_keeper_pointer self, const shares& fair,
               std::map<std::string, std::size_t>& all) {
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
    // What we had when we crashed nobody else can take yet.
    const auto was_ours = lease.owner.name == us;
    if (was_ours || may_take(all, us, fair, long_free)) {
      take(self, lease.shard);
      ++all[us];
    }
  }
}

} // namespace

void balance(shard_keeper_pointer self) {
  auto& state = self->state;
  if (state.leaving)
    return;
  auto all = loads(self);
  const auto& us = state.options.leases->self().name;
  const auto fair = shares_of(state.shards.size(), all.size());
  take_free(self, fair, all);
  // One at a time, and only when all else is at rest.
  const auto at_rest
    = std::all_of(state.shards.begin(), state.shards.end(),
                  [](const auto& x) {
                    return x.now == phase::none || x.now == phase::serving;
                  })
      && std::none_of(state.table.shards.begin(), state.table.shards.end(),
                      [](const auto& x) { return x.owner.name.empty(); });
  if (!at_rest || !must_give(all, us, fair))
    return;
  for (auto shard = static_cast<shard_number>(state.shards.size()); shard > 0;
       --shard)
    if (state.shards[shard - 1].now == phase::serving) {
      hand_over(self, shard - 1);
      return;
    }
}

} // namespace depositd::cluster
