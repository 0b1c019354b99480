#pragma once

// How engines that share shards find each other: over the node door.

#include "actors/cluster/keeper/keeper.hpp"

#include <caf/actor_system.hpp>
#include <caf/io/middleman_actor.hpp>

#include <chrono>
#include <string>

namespace depositd {

struct engine_finder_options {
  caf::io::middleman_actor middleman; ///< of this engine's own node door
  /// An engine that was stopped takes connections and says nothing.
  std::chrono::milliseconds connect_within{4'000};
};

engine_finder_actor
spawn_engine_finder(caf::actor_system& system,
                    const engine_finder_options& options);

/// Whether an engine of this name answers at "host:port". Blocks, for twice
/// `connect_within` at most.
bool answers(caf::actor_system& system, const engine_finder_actor& finder,
             const std::string& name, const std::string& address);

} // namespace depositd
