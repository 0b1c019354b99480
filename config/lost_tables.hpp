#pragma once

// Tables of a data folder that are not in its journal, and are gone.

#include "config/settings.hpp"
#include "messages/values/errors.hpp"

#include <filesystem>

namespace depositd {

/// Whether there is any object in a storage root; false if it cannot be read.
bool has_objects(const std::filesystem::path& root);

/// Refuses a data folder in which engines have worked, as its journal shows,
/// if it lacks the table of DOIs, or that of objects while storage in a folder
/// has some: an engine would begin empty ones, and say nothing. For the
/// embedded store, before its journals are open. `ec::store_failed` names the
/// file and how to go on.
caf::error check_tables_there(const depositd_settings& settings);

} // namespace depositd
