#pragma once

// What a database is asked, and what it answers: the same for every one.

#include "adapters/sources/sql/patience.hpp"
#include "adapters/sources/sql/query_text.hpp"
#include "messages/values/errors.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace depositd::sources::sql {

/// Bytes of one answer; a single value may not be larger either.
inline constexpr std::uint64_t answer_bytes_max = 256 * 1024 * 1024;

enum class cell_kind : std::uint8_t {
  null,
  integer,
  number, ///< with a fraction, or an exponent
  boolean,
  json,
  bytes,
  text,
};

struct cell {
  cell_kind kind = cell_kind::null;
  /// As the server writes it; `boolean`: true or false; `bytes`: themselves.
  std::string text;
};

struct answer {
  std::vector<std::string> columns;
  std::vector<cell> cells; ///< row by row
  bool more = false;       ///< there are rows that were not read

  std::size_t rows() const noexcept {
    return columns.empty() ? 0 : cells.size() / columns.size();
  }

  const cell& at(std::size_t row, std::size_t column) const {
    return cells[row * columns.size() + column];
  }

  /// The first column of that name, exactly as it is written.
  std::optional<std::size_t> find(std::string_view column) const;
};

struct question {
  query_text query;
  std::uint64_t limit = 0; ///< value of `:limit`
  std::string cursor;      ///< value of `:cursor`
  /// The column whose values `cursor` is one of; may be empty.
  std::string cursor_column;
  /// What its values were when they were seen last.
  std::optional<cell_kind> cursor_kind;
  /// Rows that are read at most: the answer says that there are more.
  std::uint64_t rows_max = ~std::uint64_t{0};
};

/// One session with a database, which it opens at its first question and keeps;
/// after a failure it opens another one. Used by one thread. What it reads it
/// does not change, as far as the database lets itself be told so.
class session {
public:
  virtual ~session() = default;

  /// Asks within the turn of `until`. The answer ends early, with `more`, at
  /// `rows_max` rows and before the row that makes it larger than
  /// `answer_bytes_max`.
  ///
  /// `ec::invalid_argument`: the query cannot work; `ec::not_found`: what it
  /// names is not there; `ec::too_large`: one value is; `ec::store_failed`
  /// else. No error text has a password of the URL.
  virtual caf::expected<answer> ask(const question& x,
                                    const patience& until) = 0;
};

/// Rows on their way into an answer, within the bounds of a question.
class answer_filler {
public:
  explicit answer_filler(std::uint64_t rows_max) : rows_max_(rows_max) {}

  /// Once, before all rows.
  void set_columns(std::vector<std::string> names);

  /// False: there is no room for another row, and the answer says so.
  bool begin_row();
  void add(cell_kind kind, std::string text = {});
  /// False: the row was too much and is not there; the answer says so.
  bool end_row();

  bool has_columns() const noexcept {
    return !out_.columns.empty();
  }
  answer take() noexcept {
    return std::move(out_);
  }

private:
  std::uint64_t rows_max_;
  std::uint64_t bytes_ = 0;
  answer out_;
};

/// The address is one of a database of this kind.
bool is_postgres(std::string_view url) noexcept;
bool is_sqlite(std::string_view url) noexcept;
bool is_odbc(std::string_view url) noexcept;

/// How queries for the database at that address are written.
dialect dialect_of(std::string_view url) noexcept;

/// `name`: of who asks, for the eyes of whoever looks after the database. No
/// connection is made yet. `ec::invalid_argument`: the URL cannot be one.
caf::expected<std::unique_ptr<session>> make_session(const std::string& url,
                                                     const std::string& name);

/// The one number, not negative, that an answer has to be; fractions are
/// rounded up. `ec::malformed` says what it is instead.
caf::expected<std::uint64_t> number_of(const answer& x);

/// `ec::invalid_argument`: the statement is none that gives rows.
caf::error no_rows_given();

} // namespace depositd::sources::sql
