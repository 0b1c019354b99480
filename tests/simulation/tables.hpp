#pragma once

// The tables of a shard, which a life finds empty.

#include "messages/ports/projection_store.hpp"

#include <memory>

namespace depositd::simulation {

/// Those of a life that is over are emptied and taken again, with all their
/// compiled statements: to make them anew takes longer than a life spends with
/// them. For a program of one thread that does nothing else with SQLite.
std::unique_ptr<projection_store> make_empty_tables();

} // namespace depositd::simulation
