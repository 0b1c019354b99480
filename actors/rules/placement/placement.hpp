#pragma once

// Who should have which shards: every live engine about as many as the others.
// One that does not reach the logs of records has none, as long as others do.

#include <cstddef>
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

} // namespace depositd::rules::placement
