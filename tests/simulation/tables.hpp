#pragma once

// The tables of a shard, which a life finds empty.

#include "messages/ports/projection_store.hpp"

#include <filesystem>
#include <memory>

namespace depositd::simulation {

/// Those of a life that is over are emptied and taken again, with all their
/// compiled statements: to make them anew takes longer than a life spends with
/// them. For a program of one thread that does nothing else with SQLite.
std::unique_ptr<projection_store> make_empty_tables();

/// Those in the folder, made if they are not there: for lives that are backed
/// up, because tables without a file have no copy.
std::unique_ptr<projection_store>
open_tables(const std::filesystem::path& folder);

} // namespace depositd::simulation
