#pragma once

// Values on their way to and from PostgreSQL, in its binary format.

#include "adapters/stores/rows/columns.hpp"
#include "messages/values/errors.hpp"

#include <libpq-fe.h>

#include <concepts>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace depositd::postgres {

inline constexpr Oid bytes_type = 17;
inline constexpr Oid number_type = 20;
inline constexpr Oid text_type = 25;

/// The text as PostgreSQL can keep it: valid UTF-8 without NUL stays as it is,
/// but for a backslash, which is doubled; any other byte becomes \xHH.
std::string escaped(std::string_view text);

/// What `escaped` was given.
std::string unescaped(std::string_view text);

/// One column of many rows: an array parameter for `unnest`.
class column {
public:
  explicit column(Oid element);

  template <class T>
  requires std::integral<T> || std::is_enum_v<T> column& add(T value) {
    append_size(8);
    append_number(static_cast<std::uint64_t>(value));
    ++count_;
    return *this;
  }

  /// Escaped if this is a column of texts.
  column& add(std::string_view value);

  Oid type() const noexcept;

  /// In the server's format; the column stays as it is.
  std::string bytes() const;

private:
  void append_size(std::uint32_t value);
  void append_number(std::uint64_t value);

  Oid element_;
  std::uint32_t count_ = 0;
  std::string data_;
};

/// A column of numbers or of texts.
template <class T>
column column_of(const std::vector<T>& values) {
  column out{std::is_same_v<T, std::string> ? text_type : number_type};
  for (const auto& x : values)
    out.add(x);
  return out;
}

/// Many rows on their way into one statement: a column for each of the fields.
class bulk {
public:
  explicit bulk(const rows::fields& all);

  template <class... Values>
  void add(const Values&... values) {
    std::size_t at = 0;
    (columns_[at++].add(values), ...);
  }

  const std::vector<column>& columns() const noexcept {
    return columns_;
  }

private:
  std::vector<column> columns_;
};

/// The parameters of one statement, in order. Owns its values but for `bytes`.
class parameters {
public:
  parameters() = default;

  /// Numbers, texts, columns, and rows in bulk.
  template <class... Values>
  explicit parameters(const Values&... values) {
    (put(values), ...);
  }

  template <class T>
  requires std::integral<T> || std::is_enum_v<T> parameters& add(T value) {
    return add_number(static_cast<std::uint64_t>(value));
  }

  /// Escapes.
  parameters& text(std::string_view value);

  /// Not copied: must live until the statement has run.
  parameters& bytes(std::string_view value);

  parameters& add(const column& value);

  parameters& add(const bulk& rows);

  int size() const noexcept {
    return static_cast<int>(types_.size());
  }
  const Oid* types() const noexcept {
    return types_.data();
  }
  const char* const* values() const noexcept {
    return values_.data();
  }
  const int* lengths() const noexcept {
    return lengths_.data();
  }
  /// All of them binary.
  const int* formats() const noexcept {
    return formats_.data();
  }

private:
  template <class T>
  void put(const T& value) {
    if constexpr (std::is_convertible_v<const T&, std::string_view>)
      text(value);
    else
      add(value);
  }

  parameters& add_number(std::uint64_t value);
  parameters& own(Oid type, std::string value);
  parameters& refer(Oid type, std::string_view value);

  std::vector<std::unique_ptr<const std::string>> owned_;
  std::vector<Oid> types_;
  std::vector<const char*> values_;
  std::vector<int> lengths_;
  std::vector<int> formats_;
};

/// Rows that a statement gave back.
class result {
public:
  explicit result(PGresult* handle = nullptr) : handle_(handle) {
    // nop
  }

  int rows() const noexcept {
    return PQntuples(handle_.get());
  }

  /// Rows that the statement inserted, changed or deleted.
  std::uint64_t changed() const;

  /// An integer column of any width; negative ones wrap.
  std::uint64_t number(int row, int column) const noexcept;

  /// A text or bytes column as the server has it; lives as long as this.
  std::string_view raw(int row, int column) const noexcept;

  template <class T>
  requires std::integral<T> || std::is_enum_v<T>
  void read(int row, int column, T& out) const noexcept {
    out = static_cast<T>(number(row, column));
  }

  /// A text column, unescaped, or one of bytes.
  void read(int row, int column, std::string& out) const;

  PGresult* get() const noexcept {
    return handle_.get();
  }

private:
  struct clear {
    void operator()(PGresult* x) const noexcept {
      PQclear(x);
    }
  };
  std::unique_ptr<PGresult, clear> handle_;
};

/// One row of a result, which must live longer.
class row_view {
public:
  row_view(const result& of, int row) : of_(of), row_(row) {
    // nop
  }

  std::uint64_t number(int column) const noexcept {
    return of_.number(row_, column);
  }

  template <class T>
  void read(int column, T& out) const {
    of_.read(row_, column, out);
  }

  /// Takes the first columns.
  template <class... Values>
  void take(Values&... out) const {
    auto column = 0;
    (read(column++, out), ...);
  }

  /// `ec::store_damaged`; says that it is in PostgreSQL.
  static caf::error damaged(const std::string& what) {
    return caf::make_error(ec::store_damaged, "postgres: " + what);
  }

private:
  const result& of_;
  int row_;
};

} // namespace depositd::postgres
