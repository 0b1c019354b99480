#pragma once

// The columns of a row, said once: whatever sums, reads, binds or spells a row
// in a store walks this list. See docs/decisions/0016.

#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace depositd::rows {

/// What a column is besides a value.
struct is {
  enum traits : unsigned {
    plain = 0,
    key = 1,      ///< rows are found by it
    changing = 2, ///< may change while the row lives
    added = 4,    ///< came with a later version; nothing in rows of before
    bytes = 8,    ///< not text, where a store tells them apart
    seldom = 16,  ///< may change, but is written apart from what often does
  };
};

/// A column's name and the way to its value in a row.
template <class... Path>
struct column {
  std::string_view name;
  unsigned traits;
  std::tuple<Path...> path;

  constexpr column(std::string_view name, unsigned traits, Path... path)
    : name(name), traits(traits), path(path...) {
    // nop
  }

  template <class Row>
  constexpr auto& in(Row& row) const {
    static_assert(sizeof...(Path) == 1 || sizeof...(Path) == 2);
    if constexpr (sizeof...(Path) == 1)
      return row.*std::get<0>(path);
    else
      return row.*std::get<0>(path).*std::get<1>(path);
  }
};

/// The columns of a type of rows, a tuple in the order of the row's checksum.
template <class Row>
inline constexpr auto columns = nullptr;

/// Name of the rows' table in their checksums, and in SQLite.
template <class Row>
inline constexpr std::string_view table_name = {};

namespace parts {

/// Whether a column has one of the traits `with`, 0 standing for any, and none
/// of `without`.
constexpr bool chosen(unsigned traits, unsigned with, unsigned without) {
  return (with == 0 || (traits & with) != 0) && (traits & without) == 0;
}

template <class Row, unsigned With, unsigned Without, std::size_t... I>
constexpr auto choose(std::index_sequence<I...>) {
  const auto one = []<std::size_t At>(std::integral_constant<std::size_t, At>) {
    constexpr auto x = std::get<At>(columns<Row>);
    if constexpr (chosen(x.traits, With, Without))
      return std::tuple<std::remove_const_t<decltype(x)>>{x};
    else
      return std::tuple{};
  };
  return std::tuple_cat(one(std::integral_constant<std::size_t, I>{})...);
}

} // namespace parts

/// The columns that have one of the traits `With` and none of `Without`.
template <class Row, unsigned With, unsigned Without = 0>
inline constexpr auto columns_that = parts::choose<Row, With, Without>(
  std::make_index_sequence<
    std::tuple_size_v<std::remove_const_t<decltype(columns<Row>)>>>{});

namespace parts {

/// Not by std::apply: where a value is must be a constant, for rows are written
/// by the ten thousand.
template <const auto& List, class Row, class F, std::size_t... I>
[[gnu::always_inline]] constexpr decltype(auto)
in_order(Row& row, const F& f, std::index_sequence<I...>) {
  return f(std::get<I>(List).in(row)...);
}

template <const auto& List>
using indexes = std::make_index_sequence<
  std::tuple_size_v<std::remove_cvref_t<decltype(List)>>>;

} // namespace parts

/// What `f` makes of the row's values, in order.
template <class Row, class F>
constexpr decltype(auto) with_values(Row& row, const F& f) {
  constexpr const auto& list = columns<std::remove_const_t<Row>>;
  return parts::in_order<list>(row, f, parts::indexes<list>{});
}

/// The same of columns with one of the traits `With` and none of `Without`.
template <unsigned With, unsigned Without = 0, class Row, class F>
constexpr decltype(auto) with_values_that(Row& row, const F& f) {
  constexpr const auto& list =
    columns_that<std::remove_const_t<Row>, With, Without>;
  return parts::in_order<list>(row, f, parts::indexes<list>{});
}

/// What finds the row: refers to it.
template <class Row>
requires std::is_class_v<Row>
constexpr auto key_of(const Row& row) {
  return with_values_that<is::key>(
    row, [](const auto&... x) { return std::tie(x...); });
}

template <class Row>
constexpr auto key_of(const Row* row) {
  return key_of(*row);
}

/// An id is its own key.
constexpr auto key_of(std::uint64_t id) {
  return std::tuple{id};
}

/// Adds what takes rows to `Self`, whose `add` takes values.
template <class Self>
class row_taker {
public:
  /// All values of the row, then the others.
  template <class Row, class... More>
  auto add_row(const Row& row, const More&... more) {
    return with_values(row, [&](const auto&... values) {
      return static_cast<Self&>(*this).add(values..., more...);
    });
  }

  /// Those that may change, then the others.
  template <class Row, class... More>
  auto add_changing(const Row& row, const More&... more) {
    return add_those<is::changing>(row, more...);
  }

  /// Those that seldom change, then the others.
  template <class Row, class... More>
  auto add_seldom(const Row& row, const More&... more) {
    return add_those<is::seldom>(row, more...);
  }

private:
  template <unsigned With, class Row, class... More>
  auto add_those(const Row& row, const More&... more) {
    return with_values_that<With>(row, [&](const auto&... values) {
      return static_cast<Self&>(*this).add(values..., more...);
    });
  }
};

// -- for SQL

enum class kind : std::uint8_t { number, text, bytes };

/// A column of a table: of a row, or of what a store keeps with it.
struct field {
  std::string_view name;
  kind of = kind::number;
};

using fields = std::vector<field>;

/// The columns that have one of the traits; without traits, all.
template <class Row>
constexpr fields fields_of(unsigned traits = 0) {
  fields out;
  const auto add = [&]<class Column>(const Column& x) {
    using value = std::remove_cvref_t<decltype(x.in(std::declval<Row&>()))>;
    if (parts::chosen(x.traits, traits, 0))
      out.push_back({x.name, !std::is_same_v<value, std::string> ? kind::number
                             : (x.traits & is::bytes) != 0       ? kind::bytes
                                                                 : kind::text});
  };
  std::apply([&](const auto&... x) { (add(x), ...); }, columns<Row>);
  return out;
}

/// The fields of both, in order.
constexpr fields operator+(fields first, const fields& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

/// All columns of a row, and the checksum that it carries.
template <class Row>
constexpr fields with_checksum() {
  return fields_of<Row>() + fields{{"checksum"}};
}

} // namespace depositd::rows
