#include "adapters/sources/sql/row_object.hpp"

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace depositd::sources::sql {

namespace {

std::string object_of(std::vector<std::string> columns,
                      std::vector<cell> cells) {
  answer rows;
  rows.columns = std::move(columns);
  rows.cells = std::move(cells);
  return row_writer{rows}.object(0);
}

} // namespace

TEST(a_row, is_an_object_of_its_columns_in_their_order) {
  EXPECT_EQ(object_of({"z", "a", "m", "b", "j", "x", "n"},
                      {{cell_kind::integer, "9007199254740993"},
                       {cell_kind::number, "1.50"},
                       {cell_kind::text, "it's \"quoted\"\n"},
                       {cell_kind::boolean, "true"},
                       {cell_kind::json, R"({"k":[1]})"},
                       {cell_kind::bytes, std::string("\0\xff", 2)},
                       {cell_kind::null, ""}}),
            R"({"z":9007199254740993,"a":1.50,"m":"it's \"quoted\"\n",)"
            R"("b":true,"j":{"k":[1]},"x":"AP8=","n":null})");
}

TEST(a_row, has_each_name_once) {
  EXPECT_EQ(object_of({"a", "b", "a"}, {{cell_kind::integer, "1"},
                                        {cell_kind::integer, "2"},
                                        {cell_kind::integer, "3"}}),
            R"({"a":1,"b":2})");
}

TEST(a_row, has_names_as_json_writes_them) {
  EXPECT_EQ(object_of({"a \"b\""}, {{cell_kind::null, ""}}),
            R"({"a \"b\"":null})");
}

TEST(a_row, has_a_text_where_json_has_no_number) {
  for (const auto* text : {"NaN", "Infinity", "-Infinity", "", "abc", "1,5"})
    EXPECT_EQ(object_of({"a"}, {{cell_kind::number, text}}),
              std::string{R"({"a":")"} + text + "\"}");
}

TEST(a_row, has_a_zero_before_the_point) {
  EXPECT_EQ(object_of({"a"}, {{cell_kind::number, ".5"}}), R"({"a":0.5})");
  EXPECT_EQ(object_of({"a"}, {{cell_kind::number, "-.5"}}), R"({"a":-0.5})");
}

TEST(a_row, is_found_among_others) {
  answer rows;
  rows.columns = {"a", "b"};
  for (const auto* text : {"1", "2", "3", "4"})
    rows.cells.push_back({cell_kind::integer, text});
  ASSERT_EQ(rows.rows(), 2u);
  EXPECT_EQ(row_writer{rows}.object(1), R"({"a":3,"b":4})");
}

TEST(a_number_of_json, is_told_from_what_is_none) {
  for (const auto* text : {"0", "-0", "17", "-17", "1.5", "0.5", "1e5", "1E+5",
                           "1.25e-07", "12345678901234567890123"})
    EXPECT_TRUE(is_json_number(text)) << text;
  for (const auto* text : {"", "-", "+1", "01", "1.", ".5", "1e", "1e+", "1 ",
                           " 1", "0x1", "1.5.5", "NaN", "--1"})
    EXPECT_FALSE(is_json_number(text)) << text;
}

} // namespace depositd::sources::sql
