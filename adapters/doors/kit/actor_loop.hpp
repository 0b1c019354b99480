#pragma once

// Actors in the thread of a loop: what a socket has brought reaches an actor,
// and what an actor says reaches a socket, without a thread being woken.

#include "adapters/doors/kit/loop.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>

#include <functional>
#include <memory>

namespace depositd::kit {

/// Where a door gets its loops from.
struct loop_source {
  std::function<std::unique_ptr<loop>()> make = start_loop;
};

/// Exchanges the scheduler of systems that are made with this: one thread that
/// runs actors and turns loops.
void run_actors_in_loop(caf::actor_system_config& config);

/// Loops in the thread of the actors if they were made to run in one, else
/// with threads of their own. They must end before the system does.
loop_source loops_of(caf::actor_system& system);

} // namespace depositd::kit
