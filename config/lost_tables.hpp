#pragma once

// What a data folder, or a database, has lost: tables that are not in the
// journal, and the journal itself.

#include "config/settings.hpp"
#include "messages/ports/journal_store.hpp"
#include "messages/ports/projection_store.hpp"
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

/// Refuses a data folder that lacks the journal of a shard though engines have
/// worked in that: one that begins another would give its numbers again, and
/// what it acknowledged would be gone with the next start. For the embedded
/// store, before its journals are open. `ec::store_failed` names the folder.
caf::error check_journals_there(const depositd_settings& settings);

/// The same of a journal whose end is gone, as the tables of its shard know:
/// what comes into it would not come into them. `ec::store_failed`; `where`
/// says what it is of.
caf::error check_journal_end(journal_store& journal, projection_store& tables,
                             const std::string& where);

} // namespace depositd
