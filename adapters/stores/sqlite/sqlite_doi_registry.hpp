#pragma once

// The registry of DOIs in one SQLite file.

#include "messages/ports/doi_registry.hpp"

#include <filesystem>
#include <memory>

namespace depositd {

struct sqlite_registry_options {
  /// The file may not grow beyond this many pages of 4 KiB; 0: no limit.
  std::uint32_t pages_max = 0;
  /// A file of at most this many bytes is read through by SQLite when it is
  /// opened, indexes included.
  std::uint64_t checked_bytes_max = 32 * 1024 * 1024;
  /// See `file_kind`.
  std::uint64_t log_bytes = 0;
};

/// A log of this length has room for a commit of what is open even if the disk
/// is full: making room in it fails then, before anything is recorded.
constexpr std::uint64_t registry_log_bytes = 12 * 1024 * 1024;

/// Opens the file, or makes it if it is not there; nothing else may have it
/// open. What is there is never cleaned or made again: `ec::store_damaged` if
/// the file is not a registry or SQLite finds it damaged, `ec::store_failed`
/// if it cannot be used. Rows carry checksums and are checked when they are
/// read. What a damaged write-ahead log held is not missed: it looks like a
/// torn one.
///
/// Calls of several threads take turns, but `flush` keeps nobody who records
/// waiting for the disk. Small registrations are committed by whoever flushes
/// or looks: the journal has several of them in one group.
/// `backup` writes `registry.db` into the folder. The path ":memory:" makes an
/// empty one that is gone when it is closed; it has no backup.
caf::expected<std::unique_ptr<doi_registry>>
open_sqlite_registry(const std::filesystem::path& file,
                     const sqlite_registry_options& options = {});

} // namespace depositd
