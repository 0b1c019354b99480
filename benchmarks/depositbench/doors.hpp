#pragma once

// Which doors there are, and a client of each.

#include "benchmarks/depositbench/client.hpp"
#include "benchmarks/depositbench/options.hpp"

#include <caf/actor_system.hpp>

#include <memory>
#include <string>
#include <vector>

namespace depositd::bench {

std::vector<std::string> door_names();

/// Throws std::runtime_error for a door that is none.
const port_habits& habits_of(const std::string& door);

/// Connects. Throws std::runtime_error with what is missing.
std::unique_ptr<client> open_door(const options& settings,
                                  caf::actor_system& system);

} // namespace depositd::bench
