#pragma once

// The projection in memory: for simulation and tests. Gone with the process.

#include "messages/ports/projection_store.hpp"

#include <memory>

namespace depositd {

/// An empty projection. For one thread at a time. `backup` fails: there is
/// nothing to copy that an engine could start on.
std::unique_ptr<projection_store> make_memory_projection();

} // namespace depositd
