#pragma once

// What depositors get back, in a folder: FOLDER/USER/NAME.

#include "adapters/stores/files/disk.hpp"
#include "messages/ports/restoration_target.hpp"

#include <filesystem>
#include <memory>

namespace depositd {

struct folder_restoration_options {
  /// Created if it is not there. Files are readable for its group.
  std::filesystem::path folder;

  /// A file that says what is mounted on the way to it (`mounts.hpp`), for the
  /// next start. Empty: nobody writes it down.
  std::filesystem::path note = {};

  /// For tests that break it; outlives the target. Null: the machine's own.
  disk* io = nullptr;
};

/// `ec::store_failed` if the folder cannot be made, or its disk is not mounted,
/// also later: nothing is put beside it.
caf::expected<std::unique_ptr<restoration_target>>
open_folder_restoration(const folder_restoration_options& options);

/// Why a name cannot be that of something given back; empty: it can.
std::string restored_name_fault(const std::string& name);

} // namespace depositd
