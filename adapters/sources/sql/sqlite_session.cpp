#include "adapters/sources/sql/sqlite_session.hpp"

#include "adapters/sources/records/records.hpp"
#include "adapters/sources/sql/integer_text.hpp"

#include <sqlite3.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <sys/stat.h>

namespace depositd::sources::sql {

namespace {

struct close_database {
  void operator()(sqlite3* x) const noexcept {
    sqlite3_close_v2(x);
  }
};
struct finalize_statement {
  void operator()(sqlite3_stmt* x) const noexcept {
    sqlite3_finalize(x);
  }
};
using database_ptr = std::unique_ptr<sqlite3, close_database>;
using statement_ptr = std::unique_ptr<sqlite3_stmt, finalize_statement>;

/// Instructions of its machine between two looks at the clock.
constexpr int steps_per_look = 1'000;
/// Between two tries at a file that somebody writes.
constexpr std::chrono::milliseconds busy_pause{10};

std::optional<double> read_real(std::string_view text) {
  double out = 0;
  const auto* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, out);
  if (read.ec != std::errc{} || read.ptr != end)
    return std::nullopt;
  return out;
}

/// As SQLite writes it (15 digits), unless that is another number.
std::string real_text(double value) {
  std::array<char, 64> text{};
  sqlite3_snprintf(static_cast<int>(text.size()), text.data(), "%!.15g", value);
  if (read_real(text.data()) == value)
    return text.data();
  const auto exact = std::to_chars(text.begin(), text.end(), value);
  return {text.data(), exact.ptr};
}

class sqlite_session final : public session {
public:
  explicit sqlite_session(std::string path) : path_(std::move(path)) {
    // nop
  }

  caf::expected<answer> ask(const question& x, const patience& until) override {
    until_ = &until;
    auto out = run(x);
    until_ = nullptr;
    return out;
  }

private:
  /// True between two questions: closing waits for nobody.
  bool ended() const noexcept {
    return until_ == nullptr || until_->ended();
  }

  caf::error failure(int code) const {
    if (const auto primary = code & 0xff;
        primary == SQLITE_INTERRUPT || primary == SQLITE_BUSY)
      if (auto over = until_->check())
        return over;
    const std::string text =
      database_ ? sqlite3_errmsg(database_.get()) : sqlite3_errstr(code);
    return caf::make_error(code_of(code & 0xff, text),
                           "sqlite: " + readable(text.substr(0, 1'000)));
  }

  /// Its own codes say no more than "error".
  static ec code_of(int primary, std::string_view text) {
    if (primary == SQLITE_TOOBIG)
      return ec::too_large;
    if (primary != SQLITE_ERROR && primary != SQLITE_READONLY)
      return ec::store_failed;
    return text.starts_with("no such table") ? ec::not_found
                                             : ec::invalid_argument;
  }

  caf::error open() {
    struct stat now {};
    if (::stat(path_.c_str(), &now) != 0) {
      const auto why = errno;
      database_.reset();
      return caf::make_error(why == ENOENT ? ec::not_found : ec::store_failed,
                             "sqlite: " + path_ + ": "
                               + std::generic_category().message(why));
    }
    if (!S_ISREG(now.st_mode)) {
      database_.reset();
      return caf::make_error(ec::store_failed,
                             "sqlite: " + path_ + " is no file");
    }
    if (database_ && now.st_dev == opened_.st_dev
        && now.st_ino == opened_.st_ino)
      return {};
    database_.reset();
    sqlite3* handle = nullptr;
    const auto code =
      sqlite3_open_v2(path_.c_str(), &handle,
                      SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, nullptr);
    database_.reset(handle);
    if (code != SQLITE_OK) {
      auto failed = failure(code);
      database_.reset();
      return failed;
    }
    opened_ = now;
    sqlite3_limit(handle, SQLITE_LIMIT_LENGTH,
                  static_cast<int>(answer_bytes_max));
    // A quoted name of a column that is not there must not pass for a text.
    sqlite3_db_config(handle, SQLITE_DBCONFIG_DQS_DML, 0, nullptr);
    sqlite3_progress_handler(
      handle, steps_per_look,
      [](void* self) {
        return static_cast<sqlite_session*>(self)->ended() ? 1 : 0;
      },
      this);
    sqlite3_busy_handler(
      handle,
      [](void* self, int) {
        const auto& it = *static_cast<sqlite_session*>(self);
        if (!it.ended())
          it.until_->pause(busy_pause);
        return it.ended() ? 0 : 1;
      },
      this);
    return {};
  }

  /// The one statement of the query.
  caf::expected<statement_ptr> prepare(const query_text& query) {
    const auto* rest = query.text.c_str();
    statement_ptr out;
    while (*rest != '\0') {
      sqlite3_stmt* handle = nullptr;
      const auto code =
        sqlite3_prepare_v3(database_.get(), rest, -1, 0, &handle, &rest);
      statement_ptr next{handle};
      if (code != SQLITE_OK)
        return failure(code);
      if (!next) // a comment, or nothing between two semicolons
        continue;
      if (out)
        return caf::make_error(ec::invalid_argument,
                               "the query is more than one statement");
      out = std::move(next);
    }
    if (!out || sqlite3_column_count(out.get()) == 0)
      return no_rows_given();
    if (sqlite3_bind_parameter_count(out.get())
        > static_cast<int>(query.bound.size()))
      return caf::make_error(ec::invalid_argument,
                             "the query has a parameter that is neither "
                             ":limit nor :cursor");
    return out;
  }

  /// SQLite does not convert what is compared with an expression: there, a text
  /// is behind every number. So a cursor is bound as what its column had when
  /// it was seen last; before that, as a number if it is written exactly as
  /// SQLite writes numbers. A column that is declared TEXT turns the number
  /// back into that very text, and one declared INTEGER or REAL any text into
  /// the number.
  static int bind_cursor(sqlite3_stmt* to, int number, const question& x) {
    const auto kind = x.cursor_kind;
    const bool any = !kind || *kind == cell_kind::null;
    if (any || *kind == cell_kind::integer || *kind == cell_kind::number) {
      if (const auto integer = read_integer(x.cursor))
        return sqlite3_bind_int64(to, number, *integer);
      if (const auto real = read_real(x.cursor);
          real && (!any || real_text(*real) == x.cursor))
        return sqlite3_bind_double(to, number, *real);
    }
    return sqlite3_bind_text64(to, number, x.cursor.c_str(), x.cursor.size(),
                               SQLITE_STATIC, SQLITE_UTF8);
  }

  caf::error bind(sqlite3_stmt* to, const question& x) {
    for (std::size_t i = 0; i < x.query.bound.size(); ++i) {
      const auto number = static_cast<int>(i) + 1;
      const auto code =
        x.query.bound[i] == placeholder::limit
          ? sqlite3_bind_int64(to, number, static_cast<sqlite3_int64>(x.limit))
          : bind_cursor(to, number, x);
      if (code != SQLITE_OK)
        return failure(code);
    }
    return {};
  }

  static void add_value(sqlite3_stmt* from, int column, answer_filler& to) {
    const auto bytes = [&](const void* data) {
      const auto size =
        static_cast<std::size_t>(sqlite3_column_bytes(from, column));
      return data == nullptr
               ? std::string{}
               : std::string{static_cast<const char*>(data), size};
    };
    switch (sqlite3_column_type(from, column)) {
      case SQLITE_NULL:
        return to.add(cell_kind::null);
      case SQLITE_INTEGER:
        return to.add(cell_kind::integer,
                      std::to_string(sqlite3_column_int64(from, column)));
      case SQLITE_FLOAT:
        return to.add(cell_kind::number,
                      real_text(sqlite3_column_double(from, column)));
      case SQLITE_BLOB:
        return to.add(cell_kind::bytes,
                      bytes(sqlite3_column_blob(from, column)));
      default:
        return to.add(cell_kind::text,
                      bytes(sqlite3_column_text(from, column)));
    }
  }

  caf::expected<answer> run(const question& x) {
    if (auto over = until_->check())
      return over;
    if (auto failed = open())
      return failed;
    const auto statement = prepare(x.query);
    if (!statement)
      return statement.error();
    auto* const rows = statement->get();
    if (auto failed = bind(rows, x))
      return failed;
    answer_filler out{x.rows_max};
    for (bool first = true;; first = false) {
      const auto code = sqlite3_step(rows);
      if (code != SQLITE_ROW && code != SQLITE_DONE)
        return failure(code);
      const auto columns = sqlite3_column_count(rows);
      // After the first step: that is when a changed schema has been read.
      if (first)
        out.set_columns(names_of(rows, columns));
      if (code == SQLITE_DONE || !out.begin_row())
        return out.take();
      for (int i = 0; i < columns; ++i)
        add_value(rows, i, out);
      if (!out.end_row())
        return out.take();
    }
  }

  static std::vector<std::string> names_of(sqlite3_stmt* from, int columns) {
    std::vector<std::string> out;
    for (int i = 0; i < columns; ++i) {
      const auto* name = sqlite3_column_name(from, i);
      out.emplace_back(name == nullptr ? "" : name);
    }
    return out;
  }

  const std::string path_;
  database_ptr database_;
  struct stat opened_ {};           ///< the file that `database_` is
  const patience* until_ = nullptr; ///< of the question that is asked
};

} // namespace

caf::expected<std::unique_ptr<session>>
make_sqlite_session(const std::string& path) {
  if (!path.starts_with('/'))
    return caf::make_error(ec::invalid_argument,
                           "url: expected sqlite:/ABSOLUTE/FILE");
  std::unique_ptr<session> out = std::make_unique<sqlite_session>(path);
  return out;
}

} // namespace depositd::sources::sql
