#include "actors/rules/placement/placement.hpp"

#include <algorithm>

namespace depositd::rules::placement {

namespace {

struct shares {
  std::size_t least = 0; ///< that every engine should have
  std::size_t most = 0;  ///< that one may have
};

shares shares_of(std::size_t shards, std::size_t engines) {
  return {shards / engines, (shards + engines - 1) / engines};
}

/// Those that may have shards: if nobody reaches the logs, everybody.
engine_loads candidates(const engine_loads& all) {
  engine_loads out;
  for (const auto& x : all)
    if (x.second.reaches_logs)
      out.insert(x);
  return out.empty() ? all : out;
}

} // namespace

bool may_take(const engine_loads& all, const std::string& us,
              std::size_t shards, bool long_free) {
  const auto able = candidates(all);
  const auto at = able.find(us);
  if (at == able.end())
    return false;
  const auto fair = shares_of(shards, able.size());
  const auto ours = at->second.shards;
  if (ours < fair.least || long_free)
    return true;
  return ours < fair.most
         && std::all_of(able.begin(), able.end(), [&](const auto& x) {
              return x.first == us || x.second.shards >= ours;
            });
}

bool must_give(const engine_loads& all, const std::string& us,
               std::size_t shards) {
  const auto able = candidates(all);
  const auto at = able.find(us);
  if (at == able.end())
    return all.at(us).shards > 0;
  const auto fair = shares_of(shards, able.size());
  if (at->second.shards > fair.most)
    return true;
  const auto somebody_lacks
    = std::any_of(able.begin(), able.end(),
                  [&](const auto& x) { return x.second.shards < fair.least; });
  // Of those with one more than others the first by name gives.
  const auto first
    = std::find_if(able.begin(), able.end(), [&](const auto& x) {
        return x.second.shards > fair.least;
      });
  return somebody_lacks && first != able.end() && first->first == us;
}

namespace {

/// The longest that a shard is left alone which fails again and again: as long
/// as nobody has it when a database that was away for longer is back.
constexpr std::uint32_t rest_ms_max = 5'000;

} // namespace

std::uint32_t failures_after(std::uint32_t failures, std::int64_t served_ms) {
  return served_ms > rest_ms_max ? 1 : failures + 1;
}

std::uint32_t rest_ms_after(std::uint32_t failures) {
  constexpr std::uint32_t first_ms = 1'000;
  constexpr std::uint32_t doublings_max = 6; // beyond the longest
  return failures < 2
           ? 0
           : std::min(rest_ms_max,
                      first_ms << std::min(failures - 2, doublings_max));
}

} // namespace depositd::rules::placement
