#pragma once

// The projection in one SQLite file.

#include "messages/ports/projection_store.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>

namespace depositd::sqlite {

class database;

} // namespace depositd::sqlite

namespace depositd {

/// When items that came together are kept in one row.
struct page_sizes {
  std::uint32_t items_min = 32; ///< fewer of them are a row each
  std::uint32_t items_max = 256;
  std::uint32_t lanes_max = 8; ///< queues and priorities in a page
};

struct sqlite_projection_options {
  /// The file may not grow beyond this many pages of 4 KiB; 0: no limit.
  std::uint32_t pages_max = 0;
  /// A file of at most this many bytes is read through by SQLite when it is
  /// opened, indexes included.
  std::uint64_t checked_bytes_max = 32 * 1024 * 1024;
  page_sizes pages{};
};

/// Opens the file, or makes it if it is not there; nothing else may have it
/// open. What is there is never cleaned or made again: `ec::store_damaged` if
/// the file is not a projection or does not match its checksums,
/// `ec::store_failed` if it cannot be used (locked, read-only, written by
/// another version).
///
/// Damage of the tables that recovery loads is found by loading them, at the
/// latest when the last row was read; that of submissions when they are read. A
/// damaged write-ahead log looks like a torn one and takes the store back to an
/// earlier slice: `reached` says so, and a journal that has dropped what would
/// follow refuses to be read from there.
///
/// `apply` is durable when it returns. All calls must come from one thread at
/// a time, reads and `backup` too; they block on I/O. `backup` writes
/// `projection.db` into the folder, with an `id_max` that leaves room for what
/// is given after it. The path ":memory:" makes an empty one that is gone when
/// it is closed; it has no backup.
caf::expected<std::unique_ptr<projection_store>>
open_sqlite_projection(const std::filesystem::path& file,
                       const sqlite_projection_options& options = {});

/// The same in two steps, for whoever keeps the database when the projection in
/// it is gone.
caf::expected<std::shared_ptr<sqlite::database>>
open_projection_file(const std::filesystem::path& file,
                     const sqlite_projection_options& options = {});
caf::expected<std::unique_ptr<projection_store>>
open_sqlite_projection(std::shared_ptr<sqlite::database> file,
                       const page_sizes& pages);

} // namespace depositd
