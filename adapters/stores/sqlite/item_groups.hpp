#pragma once

// Live items by user. They are stored by id, which makes writing cheap; a sort
// in memory once at start is three times as fast as one in SQLite.

#include "adapters/stores/rows/row_columns.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

namespace depositd::sqlite {

/// Takes rows in the order of their ids and shows them grouped by user, by id
/// inside a user. Holds about 110 bytes per item meanwhile.
class item_groups {
public:
  /// Expects about this many rows.
  explicit item_groups(std::uint64_t count) {
    rows_.reserve(count);
  }

  void add(const item_row& row) {
    auto& packed = rows_.emplace_back();
    in_pairs(row, packed, [this](auto column, const auto& x, auto& out) {
      pack(column, x, out);
    });
    const auto user = std::get<user_column>(packed);
    if (user == rows_of_user_.size())
      rows_of_user_.push_back(0);
    ++rows_of_user_[user];
  }

  /// Users in the order in which they first came.
  void show(const std::function<void(const item_row&)>& show) const {
    // A counting sort by user, which leaves the order of ids alone.
    std::vector<std::size_t> next(rows_of_user_.size());
    std::size_t start = 0;
    for (std::size_t user = 0; user < next.size(); ++user) {
      next[user] = start;
      start += rows_of_user_[user];
    }
    std::vector<std::uint32_t> order(rows_.size());
    for (std::size_t i = 0; i < rows_.size(); ++i)
      order[next[std::get<user_column>(rows_[i])]++] =
        static_cast<std::uint32_t>(i);
    item_row row;
    for (const auto index : order) {
      in_pairs(row, rows_[index], [this](auto column, auto& out, auto x) {
        unpack(column, x, out);
      });
      show(row);
    }
  }

private:
  /// Numbers of the texts of a column: there are few, and they repeat.
  struct names {
    std::unordered_map<std::string, std::uint32_t> numbers;
    std::vector<std::string> list;
    std::uint32_t last = 0;
  };

  void pack(std::size_t column, const std::string& text, std::uint32_t& out) {
    auto& known = names_[column];
    if (known.last >= known.list.size() || known.list[known.last] != text) {
      const auto [found, is_new] = known.numbers.try_emplace(
        text, static_cast<std::uint32_t>(known.list.size()));
      if (is_new)
        known.list.push_back(text);
      known.last = found->second;
    }
    out = known.last;
  }

  template <class Number>
  static void pack(std::size_t, Number number, Number& out) {
    out = number;
  }

  void unpack(std::size_t column, std::uint32_t number,
              std::string& out) const {
    out.assign(names_[column].list[number]);
  }

  template <class Number>
  static void unpack(std::size_t, Number number, Number& out) {
    out = number;
  }

  template <class Value>
  using packed_value = std::conditional_t<std::is_same_v<Value, std::string>,
                                          std::uint32_t, Value>;

  using packed_row = decltype(rows::with_values(
    std::declval<const item_row&>(), []<class... Values>(const Values&...) {
      return std::tuple<packed_value<Values>...>{};
    }));

  /// Gives `f` the number of each column, its value, and that packed.
  template <class Row, class Packed, class F>
  static void in_pairs(Row& row, Packed& packed, const F& f) {
    std::apply(
      [&](auto&... small) {
        rows::with_values(row, [&](auto&... values) {
          std::size_t column = 0;
          (f(column++, values, small), ...);
        });
      },
      packed);
  }

  static constexpr std::size_t columns = std::tuple_size_v<packed_row>;
  static constexpr std::size_t user_column = [] {
    std::size_t at = 0;
    while (rows::fields_of<item_row>()[at].name != "user")
      ++at;
    return at;
  }();

  std::vector<packed_row> rows_;
  std::vector<std::uint32_t> rows_of_user_;
  std::array<names, columns> names_;
};

} // namespace depositd::sqlite
