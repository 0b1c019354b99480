#pragma once

// What stages keep in the data folder, and how it is copied with the journal.

#include "adapters/processing/stages/stage_tools.hpp"
#include "adapters/stores/objects/copy_gate.hpp"
#include "config/settings.hpp"
#include "messages/ports/work_copy.hpp"

#include <memory>

namespace depositd {

/// Where objects are that no setting has a place for.
std::filesystem::path own_objects_of(const depositd_settings& settings);

/// Where the engine notes on which disks its folders of others have been. Of
/// this machine alone: no copy has it.
std::filesystem::path mount_notes_of(const depositd_settings& settings);

/// How copies are begun; the gate is that of the objects in the data folder.
/// Null where the data folder has nothing: a server keeps the inventory.
begin_work_copy work_copies_of(const depositd_settings& settings,
                               const stages::stage_tools& tools,
                               std::shared_ptr<ocfl::copy_gate> gate);

} // namespace depositd
