#pragma once

// What an engine and a node of processors wait for before they end.

#include "messages/actors.hpp"

#include <caf/actor_system.hpp>

#include <chrono>

namespace depositd {

/// Takes nothing more, and says whether by then nothing is in work any more.
/// Blocks.
bool is_drained(caf::actor_system& system,
                const processor_manager_actor& processors,
                std::chrono::milliseconds within);

} // namespace depositd
