#include "adapters/sources/sql/positions.hpp"

#include <cstddef>
#include <set>
#include <string>
#include <utility>

#include <gtest/gtest.h>

namespace depositd::sources::sql {

namespace {

using values = std::vector<std::optional<std::string_view>>;
using views = std::vector<std::string_view>;

constexpr bool full = true;

read_positions positions(const values& x, std::string_view from, bool more) {
  return positions_of(x, from, more, false);
}

} // namespace

TEST(positions_of_rows, are_their_values) {
  const auto out = positions({"1", "2", "3"}, "0", !full);
  EXPECT_EQ(out.behind, (views{"1", "2", "3"}));
  EXPECT_EQ(out.end, "3");
  EXPECT_TRUE(out.enough);
  EXPECT_FALSE(out.repeats);
}

TEST(positions_of_rows, are_their_values_in_a_full_answer_where_none_repeats) {
  const auto out = positions({"1", "2", "3"}, "0", full);
  EXPECT_EQ(out.behind, (views{"1", "2", "3"}));
  EXPECT_EQ(out.end, "3");
  EXPECT_TRUE(out.enough);
}

TEST(positions_of_rows, stay_where_there_are_none) {
  const auto out = positions({}, "7", !full);
  EXPECT_EQ(out.end, "7");
  EXPECT_TRUE(out.enough);
}

TEST(positions_of_rows, are_before_those_that_share_a_value_until_its_last) {
  const auto out = positions({"1", "2", "2", "2", "3"}, "0", !full);
  EXPECT_EQ(out.behind, (views{"1", "1", "1", "2", "3"}));
  EXPECT_EQ(out.end, "3");
  EXPECT_TRUE(out.repeats);
}

TEST(positions_of_rows,
     are_before_the_last_value_if_rows_of_it_may_be_missing) {
  const auto out = positions({"1", "2", "2"}, "0", full);
  EXPECT_EQ(out.behind, (views{"1", "1", "1"}));
  EXPECT_EQ(out.end, "1");
  EXPECT_TRUE(out.enough);
}

TEST(positions_of_rows, are_before_a_single_last_row_where_values_repeat) {
  EXPECT_EQ(positions({"1", "1", "2"}, "0", full).end, "1");
  EXPECT_EQ(positions_of({"1", "2"}, "0", full, true).end, "1");
  EXPECT_EQ(positions_of({"1", "2"}, "0", !full, true).end, "2");
}

TEST(positions_of_rows, want_more_rows_where_all_share_a_value) {
  const auto out = positions({"1", "1"}, "0", full);
  EXPECT_FALSE(out.enough);
  EXPECT_TRUE(positions({"1", "1"}, "0", !full).enough);
}

TEST(positions_of_rows, want_more_rows_where_none_is_behind_the_beginning) {
  EXPECT_FALSE(positions({"0"}, "0", full).enough);
  EXPECT_FALSE(positions({"0", "1", "1"}, "0", full).enough);
  EXPECT_TRUE(positions({"0", "1"}, "0", full).enough);
  EXPECT_TRUE(positions({"0"}, "0", !full).enough);
}

TEST(positions_of_rows, are_those_before_where_there_is_no_value) {
  const auto none = std::nullopt;
  const auto out = positions({none, "1", none, "2"}, "0", !full);
  EXPECT_EQ(out.behind, (views{"0", "0", "1", "2"}))
    << "the row without a value goes with \"1\"";
  EXPECT_EQ(out.end, "2");
}

/// Reads all of a table as a scheduler does, whatever its query says.
class whole_reading {
public:
  whole_reading(std::vector<int> rows, bool again)
    : rows_(std::move(rows)), again_(again) {}

  /// Places of the rows that were seen.
  std::set<std::size_t> read(std::size_t limit) {
    std::set<std::size_t> seen;
    std::string from = "0";
    bool repeats = false;
    for (std::size_t batch = 0, ask = limit; batch < 1'000; ++batch) {
      const auto found = answer(from, ask);
      values x;
      for (const auto at : found)
        x.emplace_back(texts_[at]);
      const auto out = positions_of(x, from, found.size() == ask, repeats);
      repeats = out.repeats;
      if (!out.enough) {
        ask *= 4;
        continue;
      }
      seen.insert(found.begin(), found.end());
      if (found.size() < ask)
        return seen;
      ask = limit;
      from = std::string{out.end};
    }
    ADD_FAILURE() << "never ends";
    return seen;
  }

private:
  std::vector<std::size_t> answer(const std::string& from, std::size_t limit) {
    texts_.clear();
    for (const auto x : rows_)
      texts_.push_back(std::to_string(x));
    std::vector<std::size_t> out;
    for (std::size_t i = 0; i < rows_.size() && out.size() < limit; ++i)
      if (rows_[i] > std::stoi(from) || (again_ && texts_[i] == from))
        out.push_back(i);
    return out;
  }

  std::vector<int> rows_;
  bool again_; ///< `>=`
  std::vector<std::string> texts_;
};

TEST(positions_of_rows, skip_nothing_that_repeats_if_the_query_says_not_less) {
  for (const auto& rows : {std::vector{0, 0, 0, 1, 2, 2, 2, 2, 3, 4, 4},
                           std::vector{1, 1, 1, 1, 1, 1, 1}, std::vector{5}})
    for (std::size_t limit = 1; limit < 9; ++limit)
      EXPECT_EQ((whole_reading{rows, true}.read(limit).size()), rows.size())
        << limit;
}

TEST(positions_of_rows, skip_nothing_that_is_seen_to_repeat) {
  for (const auto& rows :
       {std::vector{1, 1, 2, 2, 2, 2, 2, 3, 4, 4}, std::vector{1, 2, 3, 4, 5}})
    for (std::size_t limit = 2; limit < 9; ++limit)
      EXPECT_EQ((whole_reading{rows, false}.read(limit).size()), rows.size())
        << limit;
}

TEST(values_of_a_cursor, ascend_if_they_are_integers) {
  EXPECT_EQ(descending_at({"1", "2", "10"}, "0"), std::nullopt);
  EXPECT_EQ(descending_at({"1", "1"}, ""), std::nullopt);
  EXPECT_EQ(descending_at({"2", "1"}, ""), 1u);
  EXPECT_EQ(descending_at({"2", std::nullopt, "1"}, ""), 2u);
  EXPECT_EQ(descending_at({"9", "10"}, "10"), 0u);
  EXPECT_EQ(descending_at({"-2", "-1"}, "-3"), std::nullopt);
}

TEST(values_of_a_cursor, are_in_an_order_that_only_the_database_knows) {
  EXPECT_EQ(descending_at({"b", "a"}, "c"), std::nullopt);
  EXPECT_EQ(descending_at({"2.5", "1.5"}, ""), std::nullopt);
}

} // namespace depositd::sources::sql
