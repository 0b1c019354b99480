#pragma once

#include "benchmarks/depositbench/measure.hpp"
#include "benchmarks/depositbench/options.hpp"

#include <caf/actor_system.hpp>

#include <functional>

namespace depositd::bench {

/// Called with every line of figures as it is known.
using report_function = std::function<void(const figures&)>;

/// Runs one phase. Throws std::runtime_error if it cannot run; the text says
/// what it lacks or what the engine answered.
void run_phase(const std::string& name, const options& settings,
               caf::actor_system& system, const report_function& report);

} // namespace depositd::bench
