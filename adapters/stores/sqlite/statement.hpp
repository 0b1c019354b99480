#pragma once

// A prepared statement of SQLite, lent out by its database.

#include "messages/values/errors.hpp"

#include <sqlite3.h>

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

namespace depositd::sqlite {

/// SQLite's own text under the name of the file it is about:
/// `ec::store_damaged` if it says that the file is corrupt, no database, or
/// holds a row that cannot be there; `ec::store_failed` otherwise.
caf::error failure(const std::string& file, int code, const char* text);

/// A parameter of a statement that is put together while the program runs.
using value = std::variant<std::uint64_t, std::string>;

/// A prepared statement on loan from its database; one user at a time. It is
/// reset when the loan ends. Texts that are bound must live until the step.
class statement {
public:
  statement(const std::string& file, sqlite3_stmt* handle);
  statement(statement&& other) noexcept;
  statement(const statement&) = delete;
  statement& operator=(const statement&) = delete;
  ~statement();

  /// Starts over with these values for all parameters, in order.
  template <class... Values>
  statement& bind(const Values&... values) {
    sqlite3_reset(handle_);
    failure_ = SQLITE_OK;
    int index = 0;
    (put(++index, values), ...);
    return *this;
  }

  /// The same with as many as there are.
  statement& bind(const std::vector<value>& values) {
    sqlite3_reset(handle_);
    failure_ = SQLITE_OK;
    int index = 0;
    for (const auto& x : values) {
      ++index;
      std::visit([&](const auto& y) { put(index, y); }, x);
    }
    return *this;
  }

  /// Moves on to the next row; false if there is none.
  caf::expected<bool> next();

  /// Runs to the end without looking at rows.
  caf::error run();

  /// An integer column of the row; negative ones wrap.
  std::uint64_t number(int column) const noexcept {
    return static_cast<std::uint64_t>(sqlite3_column_int64(handle_, column));
  }

  template <class T>
  requires std::integral<T> || std::is_enum_v<T>
  void read(int column, T& out) const noexcept {
    out = static_cast<T>(number(column));
  }

  void read(int column, std::string& out) const {
    out.assign(text(column));
  }

  /// Takes the first columns of the row.
  template <class... Values>
  void take(Values&... out) const {
    auto column = 0;
    (read(column++, out), ...);
  }

  /// `ec::store_damaged` with the file's name in front.
  caf::error damaged(const std::string& what) const {
    return caf::make_error(ec::store_damaged, file_ + ": " + what);
  }

  /// A text or blob column of the row; valid until the statement moves.
  std::string_view text(int column) const noexcept;

private:
  template <class T>
  requires std::integral<T> || std::is_enum_v<T>
  void put(int index, T value) noexcept {
    note(sqlite3_bind_int64(handle_, index, static_cast<sqlite3_int64>(value)));
  }

  void put(int index, std::string_view value) noexcept;

  void note(int code) noexcept {
    if (code != SQLITE_OK)
      failure_ = code;
  }

  const std::string& file_;
  sqlite3_stmt* handle_;
  int failure_ = SQLITE_OK;
};

} // namespace depositd::sqlite
