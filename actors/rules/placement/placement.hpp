#pragma once

// Who should have which shards: every live engine about as many as the others.
// One that does not reach the logs of records has none, as long as others do.

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

namespace depositd::rules::placement {

struct engine_load {
  std::size_t shards = 0;
  bool reaches_logs = true;
};

/// Live engines by name.
using engine_loads = std::map<std::string, engine_load>;

/// Whether `us` may take a free shard of `shards` in all: who has least takes
/// first; what was free for long anybody takes.
bool may_take(const engine_loads& all, const std::string& us,
              std::size_t shards, bool long_free);

/// Whether `us` should hand one over now that all else is at rest.
bool must_give(const engine_loads& all, const std::string& us,
               std::size_t shards);

/// How many times in a row a shard has failed that does so again after it has
/// served for so long, 0 if it did not get that far.
std::uint32_t failures_after(std::uint32_t failures, std::int64_t served_ms);

/// How long an engine leaves a shard alone that has failed there so many times
/// in a row. The first time may have been an accident.
std::uint32_t rest_ms_after(std::uint32_t failures);

} // namespace depositd::rules::placement
