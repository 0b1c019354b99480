#pragma once

// Values on their way to and from PostgreSQL, in its binary format.

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

/// The parameters of one statement, in order. Owns its values but for `bytes`.
class parameters {
public:
  template <class T>
  requires std::integral<T> || std::is_enum_v<T> parameters& add(T value) {
    return add_number(static_cast<std::uint64_t>(value));
  }

  /// Escapes.
  parameters& text(std::string_view value);

  /// Not copied: must live until the statement has run.
  parameters& bytes(std::string_view value);

  parameters& add(const column& value);

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

  /// A text column, unescaped.
  void read(int row, int column, std::string& out) const {
    out = unescaped(raw(row, column));
  }

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

} // namespace depositd::postgres
