#pragma once

// Bags in a folder of this machine, or of one that all share.

#include "messages/ports/receiving_place.hpp"

#include <chrono>
#include <filesystem>
#include <memory>

namespace depositd {

struct folder_receiving_options {
  std::filesystem::path folder;
  /// A file that says what is mounted on the way to it (`mounts.hpp`), for the
  /// next start. Empty: nobody writes it down.
  std::filesystem::path note = {};
  /// What was changed later than this ago, also by a time that is yet to come,
  /// may still be being written, unless it stayed the same for as long.
  std::chrono::milliseconds settled_after{2'000};
};

/// `ec::store_failed` if the folder is not there, or its disk is not mounted,
/// also later and from every function: no bag is gone then. Links are no bags.
/// A tag says size, time and number of the file, so a file that is put in the
/// place of another has another tag. A bag that is removed is first set aside
/// in the folder's own ".removed" and judged there; who opens the folder puts
/// back what an engine that died has left in it. A file that somebody still
/// writes to while it is removed is removed with what was written.
caf::expected<std::unique_ptr<receiving_place>>
open_folder_receiving(folder_receiving_options options);

} // namespace depositd
