#pragma once

// Objects in a folder that is an OCFL 1.1 storage root: any OCFL tool reads it
// without this program.

#include "adapters/stores/files/disk.hpp"
#include "adapters/stores/objects/copy_gate.hpp"
#include "messages/ports/storage_target.hpp"

#include <memory>

namespace depositd {

struct folder_objects_options {
  /// Created if it is not there; belongs to the target alone.
  std::filesystem::path folder;

  /// A file that says which folder has been a root before, as long as objects
  /// may be there: an empty one is then one whose disk is not mounted. Empty:
  /// nobody writes it down.
  std::filesystem::path note = {};

  /// False: a folder that is no root yet is another one's to make, or one whose
  /// disk is not mounted.
  bool begins = true;

  /// For tests that break it; outlives the target. Null: the machine's own.
  disk* io = nullptr;

  /// Of who copies the objects while they are used (object_copy.hpp). Null:
  /// nobody does.
  std::shared_ptr<ocfl::copy_gate> gate = nullptr;
};

/// `ec::store_failed` if the folder cannot be made or written, or is no root
/// and must not become one, `ec::store_damaged` if it is another kind of root.
caf::expected<std::unique_ptr<storage_target>>
open_folder_objects(const folder_objects_options& options);

} // namespace depositd
