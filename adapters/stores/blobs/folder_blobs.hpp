#pragma once

// Blobs as files: "ab/cd/abcd...", named by the SHA-256 of what is in them.

#include "adapters/stores/files/disk.hpp"
#include "messages/ports/blob_store.hpp"

#include <filesystem>
#include <memory>

namespace depositd {

struct folder_blobs_options {
  /// Created if it is not there; belongs to the store alone.
  std::filesystem::path folder;

  /// Where it is noted whether the folder is on a mounted disk, for the next
  /// start; empty: nowhere.
  std::filesystem::path note;

  /// For tests that break it; outlives the store. Null: the machine's own.
  disk* io = nullptr;
};

/// `ec::store_failed` if the folder cannot be made or written, and while its
/// disk is not mounted; then blobs are not gone, and none is put.
caf::expected<std::unique_ptr<blob_store>>
open_folder_blobs(const folder_blobs_options& options);

} // namespace depositd
