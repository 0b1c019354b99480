#include "messages/values/record_mark.hpp"

#include <gtest/gtest.h>

namespace depositd {

namespace {

TEST(record_marks, rise_with_offsets_and_tell_records_apart) {
  const auto mark = mark_of(7, "key", "value");
  EXPECT_EQ(offset_of_mark(mark), 7);
  EXPECT_EQ(mark, mark_of(7, "key", "value"));
  EXPECT_NE(mark, mark_of(7, "key", "other"));
  EXPECT_NE(mark, mark_of(7, "other", "value"));
  EXPECT_NE(mark, mark_of(7, "keyv", "alue"));
  for (const auto* value : {"", "a", "value"})
    EXPECT_LT(mark, mark_of(8, "key", value));
  EXPECT_GE(mark_of(0, "", ""), 0);
}

TEST(record_marks, are_none_where_offsets_are_too_high) {
  constexpr auto last = (std::int64_t{1} << 39) - 1;
  EXPECT_EQ(offset_of_mark(mark_of(last, "key", "value")), last);
  EXPECT_EQ(mark_of(last + 1, "key", "value"), no_record_mark);
  EXPECT_EQ(mark_of(-1, "key", "value"), no_record_mark);
}

TEST(record_marks, are_kept_by_journals_and_never_change) {
  EXPECT_EQ(mark_of(7, "key", "value"), 118'559'118);
}

} // namespace

} // namespace depositd
