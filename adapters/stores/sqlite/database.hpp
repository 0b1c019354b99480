#pragma once

// A database file of ours. This and statement.hpp are the only places that
// speak SQLite's C API.

#include "adapters/stores/sqlite/statement.hpp"
#include "messages/values/errors.hpp"

#include <sqlite3.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

namespace depositd::sqlite {

/// What kind of file is opened, and how.
struct file_kind {
  const char* name = "";           ///< for error texts: "projection"
  std::int32_t application = 0;    ///< SQLite's application_id
  std::int32_t version = 0;        ///< of the schema: SQLite's user_version
  std::string_view schema;         ///< statements that make an empty one
  /// What brings a file of an earlier version to the next, the last of them to
  /// `version`. Versions before all of them are refused.
  std::span<const std::string_view> upgrades{};
  std::uint32_t page_bytes = 4096; ///< of a file that is made
  std::uint32_t cache_kib = 8192;
  std::uint32_t pages_max = 0; ///< the file may not outgrow; 0: no limit
  /// Files up to this size are read through by SQLite when they are opened.
  std::uint64_t checked_bytes_max = 0;
};

/// One file, one connection, held exclusively while it is open: no other
/// program can write it or keep its write-ahead log from shrinking. Not
/// thread-safe.
///
/// Commits are flushed before they return (WAL, synchronous=FULL). Whoever
/// writes calls `checkpoint_if_due` between two transactions.
class database {
public:
  /// Opens the file, or makes it if it is not there. `ec::store_damaged` if it
  /// is not a file of this kind or SQLite finds it damaged; `ec::store_failed`
  /// if it cannot be used: locked, read-only, another schema version. Nothing
  /// that exists is ever changed by a failed call.
  static caf::expected<std::unique_ptr<database>>
  open(const std::filesystem::path& path, const file_kind& kind);

  database(const database&) = delete;
  database& operator=(const database&) = delete;
  ~database();

  /// Lends the statement out; it is compiled at its first use only.
  caf::expected<statement> prepare(std::string_view sql);

  /// Runs `body` in one transaction: all of it is durable when no error comes
  /// back, nothing of it has happened otherwise.
  caf::error transact(const std::function<caf::error()>& body);

  /// Brings the write-ahead log home once it holds this many bytes.
  caf::error checkpoint_if_due(std::uint64_t wal_bytes);

  /// Writes a consistent copy to `path`, which must not exist yet.
  caf::error copy_to(const std::filesystem::path& path);

  /// Name of the file, for error texts.
  const std::string& file() const noexcept {
    return file_;
  }

  /// `ec::store_damaged` with the file's name in front.
  caf::error damaged(const std::string& what) const;

private:
  explicit database(const std::filesystem::path& path);

  caf::error connect(int flags);
  caf::error configure(const file_kind& kind);
  caf::error run_script(std::string_view sql);
  caf::error identify(const file_kind& kind);
  caf::error read_through();
  caf::error upgrade(const file_kind& kind);
  static caf::error create(const std::filesystem::path& path,
                           const file_kind& kind);
  caf::expected<std::uint64_t> pragma(std::string_view sql);

  struct text_hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view x) const noexcept {
      return std::hash<std::string_view>{}(x);
    }
  };
  struct finalize {
    void operator()(sqlite3_stmt* handle) const noexcept {
      sqlite3_finalize(handle);
    }
  };

  std::string file_;
  sqlite3* handle_ = nullptr;
  int wal_frames_ = 0; ///< after the last commit
  std::uint32_t page_bytes_ = 4096;
  std::unordered_map<std::string, std::unique_ptr<sqlite3_stmt, finalize>,
                     text_hash, std::equal_to<>>
    statements_;
};

} // namespace depositd::sqlite
