#pragma once

// The registry of DOIs in memory: for simulation and tests. Gone with the
// process.

#include "messages/ports/doi_registry.hpp"

#include <memory>

namespace depositd {

/// An empty registry. Calls of several threads take turns. `backup` fails:
/// there is nothing to copy that an engine could start on.
std::unique_ptr<doi_registry> make_memory_registry();

} // namespace depositd
