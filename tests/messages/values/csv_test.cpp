#include "messages/values/csv.hpp"

#include <gtest/gtest.h>

namespace depositd {

namespace {

std::string row(const std::vector<std::string>& cells) {
  std::string out;
  append_csv_row(out, cells);
  return out;
}

} // namespace

TEST(csv, separates_cells) {
  EXPECT_EQ(row({"a", "", "b c"}), "a,,b c\r\n");
  EXPECT_EQ(row({}), "\r\n");
}

TEST(csv, quotes_what_would_end_a_cell) {
  EXPECT_EQ(row({"a,b", "say \"hi\"", "two\nlines"}),
            "\"a,b\",\"say \"\"hi\"\"\",\"two\nlines\"\r\n");
}

TEST(csv, row_48_has_no_formulas) {
  for (const auto* cell : {"=cmd()", "+1", "-1", "@SUM(A1)", "\tx", "\r=1"})
    EXPECT_EQ(row({cell}), "\"'" + std::string{cell} + "\"\r\n");
  EXPECT_EQ(row({"  =cmd()"}), "\"'  =cmd()\"\r\n") << "blanks are passed over";
  EXPECT_EQ(row({"a=b", "1-2"}), "a=b,1-2\r\n");
}

} // namespace depositd
