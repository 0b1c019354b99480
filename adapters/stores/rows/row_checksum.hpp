#pragma once

// Checksums of rows. Every row carries its own, over all its columns and the
// name of its table, so that a damaged row is refused wherever it is read. Of
// the tables that recovery loads, the sum of all row checksums is kept too and
// changes with every row that is put, replaced or deleted: it does not depend
// on an order, so it costs one addition per change, and reading the whole table
// once at start proves that no row is missing, left over or stale.

#include <concepts>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <xxhash.h>

namespace depositd {

/// Collects the columns of one row; keeps its memory for the next.
class row_checksum {
public:
  /// Starts the row of this table.
  row_checksum& of(std::string_view table) {
    bytes_.clear();
    return add(table);
  }

  template <class... Values>
  row_checksum& all(const Values&... values) {
    (add(values), ...);
    return *this;
  }

  template <class T>
  requires std::integral<T> || std::is_enum_v<T> row_checksum& add(T value) {
    const auto wide = static_cast<std::uint64_t>(value);
    char raw[sizeof wide];
    std::memcpy(raw, &wide, sizeof wide);
    bytes_.append(raw, sizeof wide);
    return *this;
  }

  row_checksum& add(std::string_view text) {
    add(text.size());
    bytes_.append(text);
    return *this;
  }

  std::uint64_t value() const noexcept {
    return XXH3_64bits(bytes_.data(), bytes_.size());
  }

private:
  std::string bytes_;
};

/// Hash under which a text of a user is indexed; 0 for an empty text.
inline std::uint64_t lookup_key(std::string_view user, std::string_view text) {
  return text.empty() ? 0 : row_checksum{}.of("key").all(user, text).value();
}

/// Number and sum of the checksums of a table's rows.
struct table_sum {
  std::uint64_t rows = 0;
  std::uint64_t sum = 0;

  void put(std::uint64_t checksum) noexcept {
    ++rows;
    sum += checksum;
  }

  void drop(std::uint64_t checksum) noexcept {
    --rows;
    sum -= checksum;
  }

  friend bool operator==(const table_sum&, const table_sum&) = default;
};

} // namespace depositd
