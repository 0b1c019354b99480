#pragma once

// A database file of ours. This and statement.hpp are the only places that
// speak SQLite's C API.

#include "adapters/stores/rows/columns.hpp"
#include "adapters/stores/sqlite/json_list.hpp"
#include "adapters/stores/sqlite/statement.hpp"
#include "messages/values/errors.hpp"

#include <sqlite3.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace depositd::sqlite {

/// In place of a path: a file that is made in memory and goes when it is
/// closed.
inline constexpr const char* in_memory = ":memory:";

/// What kind of file is opened, and how.
struct file_kind {
  const char* name = "";        ///< for error texts: "projection"
  std::int32_t application = 0; ///< SQLite's application_id
  std::int32_t version = 0;     ///< of the schema: SQLite's user_version
  /// Statements that make an empty one, of the earliest version known.
  std::string_view schema;
  /// What brings a file of an earlier version to the next, the last of them to
  /// `version`; a new one goes through all. Versions before are refused.
  std::span<const std::string_view> upgrades{};
  std::uint32_t page_bytes = 4096; ///< of a file that is made
  std::uint32_t cache_kib = 8192;
  std::uint32_t pages_max = 0; ///< the file may not outgrow; 0: no limit
  /// Each commit is flushed. Else a power cut may take back the last ones, but
  /// no part of one, and `flush` or `flush_log` are for whoever must be sure of
  /// them.
  bool flushes = true;
  /// So long is the log made when the file is opened, if there is room for it:
  /// what it needs later is on the disk already.
  std::uint64_t log_bytes = 0;
  /// Files up to this size are read through by SQLite when they are opened.
  std::uint64_t checked_bytes_max = 0;
};

/// One file, one connection, held exclusively while it is open: no other
/// program can write it or keep its write-ahead log from shrinking. Not
/// thread-safe.
///
/// Commits are flushed before they return (WAL, synchronous=FULL), unless the
/// kind says otherwise (NORMAL). Whoever writes calls `checkpoint_if_due`
/// between two transactions.
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

  /// Runs the statement with these parameters and gives `show` every row; an
  /// error of it ends that.
  template <class Show, class... Values>
  caf::error each(std::string_view sql, const Show& show,
                  const Values&... values) {
    auto rows = prepare(sql);
    if (!rows)
      return std::move(rows.error());
    rows->bind(values...);
    return show_rows(*rows, show);
  }

  /// Texts as one parameter, and the condition that a column has one of them.
  static std::string list(const std::vector<std::string>& values) {
    return json_list(values);
  }
  /// Numbers, likewise.
  static std::string list(const std::vector<std::uint64_t>& values) {
    return json_list(values);
  }
  static std::string among(const std::string& column, const std::string& sign) {
    return column + " IN (SELECT value FROM json_each(" + sign + "))";
  }

  /// The same for all of a table.
  template <class Show>
  caf::error load(std::string_view sql, const Show& show) {
    return each(sql, show);
  }

  /// The same for each of a list of ids or of rows, which have keys.
  template <class List, class Show>
  caf::error each_of(std::string_view sql, const List& list, const Show& show) {
    auto rows = prepare(sql);
    if (!rows)
      return std::move(rows.error());
    for (const auto x : list) {
      std::apply([&](const auto&... key) { rows->bind(key...); },
                 rows::key_of(x));
      if (auto error = show_rows(*rows, show))
        return error;
    }
    return {};
  }

  /// Shows rows by their ids, or keys, and removes them. Two statements: one
  /// that does both takes twice as long.
  template <class List, class Show>
  caf::error each_removed(std::string_view find, std::string_view remove,
                          const List& list, const Show& show) {
    auto removed = writer(remove);
    for (const auto x : list) {
      auto error = std::apply(
        [&](const auto&... key) {
          auto failed = each(find, show, key...);
          return failed ? failed : removed.add(key...);
        },
        rows::key_of(x));
      if (error)
        return error;
    }
    return {};
  }

  /// Runs the statement with these parameters.
  template <class... Values>
  caf::error run(std::string_view sql, const Values&... values) {
    return writer(sql).add(values...);
  }

  /// A statement that is run for one row after the other.
  class row_writer : public rows::row_taker<row_writer> {
  public:
    explicit row_writer(caf::expected<statement> to) : to_(std::move(to)) {
      // nop
    }

    template <class... Values>
    caf::error add(const Values&... values) {
      return to_ ? to_->bind(values...).run() : to_.error();
    }

    static caf::error finish() {
      return {};
    }

  private:
    caf::expected<statement> to_;
  };

  row_writer writer(std::string_view sql, const rows::fields& = {}) {
    return row_writer{prepare(sql)};
  }

  /// Name of the rows' table.
  template <class Row>
  static constexpr std::string_view table = rows::table_name<Row>;

  /// Runs `body` in one transaction: all of it is durable when no error comes
  /// back, nothing of it has happened otherwise.
  caf::error transact(const std::function<caf::error()>& body);

  /// The same for a body that returns something or why not.
  template <class Body>
  auto transacted(const Body& body) -> decltype(body()) {
    std::optional<decltype(body())> out;
    auto failed = transact([&] {
      out.emplace(body());
      return *out ? caf::error{} : out->error();
    });
    if (failed)
      return failed;
    return std::move(*out);
  }

  /// A transaction that is not over with a function.
  caf::error begin();
  caf::error commit();
  /// After a failure it may be over: SQLite rolls back by itself after some.
  void roll_back();

  /// Brings the write-ahead log home once it holds this many bytes.
  caf::error checkpoint_if_due(std::uint64_t wal_bytes);

  /// All commits survive a power cut afterwards: the log is brought home.
  caf::error flush();

  /// The same, in the log: a flush of one file. Of one thread at a time, which
  /// need not be the one that uses the rest meanwhile.
  caf::error flush_log();

  /// For after a flush that failed: the machine may say from then on that bytes
  /// are on the disk which are not. The log is opened and read anew, by its
  /// checksums, and what it says written to the file, so that all commits
  /// survive a power cut afterwards. After an error, as when some are lost, the
  /// file is closed, and everything fails until this succeeds.
  caf::error read_anew();

  /// Writes a consistent copy to `path`, which must not exist yet.
  caf::error copy_to(const std::filesystem::path& path);

  /// Name of the file, for error texts.
  const std::string& file() const noexcept {
    return file_;
  }

  /// `ec::store_damaged` with the file's name in front.
  caf::error damaged(const std::string& what) const;

private:
  template <class Show>
  static caf::error show_rows(statement& rows, const Show& show) {
    for (;;) {
      const auto row = rows.next();
      if (!row || !*row)
        return row ? caf::error{} : row.error();
      if (auto error = show(std::as_const(rows)))
        return error;
    }
  }

  explicit database(const std::filesystem::path& path);

  void close();
  caf::error unsure(const std::string& why) const;
  caf::error closed() const;
  caf::error bring_home();
  caf::error connect(int flags);
  caf::error fill(const file_kind& kind);
  caf::error configure(const file_kind& kind);
  caf::error run_script(std::string_view sql);
  caf::error identify(const file_kind& kind);
  caf::error read_through();
  caf::error begin_writing(const file_kind& kind);
  caf::error find_log();
  void fill_log();
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
  file_kind kind_;
  sqlite3* handle_ = nullptr;   ///< null: `read_anew` has failed
  sqlite3_file* log_ = nullptr; ///< lives as long as the handle
  int wal_frames_ = 0;          ///< after the last commit
  std::uint32_t page_bytes_ = 4096;
  std::unordered_map<std::string, std::unique_ptr<sqlite3_stmt, finalize>,
                     text_hash, std::equal_to<>>
    statements_;
};

} // namespace depositd::sqlite
