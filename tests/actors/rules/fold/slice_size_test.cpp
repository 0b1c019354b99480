#include "actors/rules/fold/slice_size.hpp"

#include <gtest/gtest.h>

namespace depositd {

namespace {

TEST(slice_size, is_halved_by_each_refusal_and_never_nothing) {
  rules::slice_size size;
  EXPECT_EQ(size.part_of(100), 100u);
  size.note(false);
  EXPECT_EQ(size.part_of(100), 50u);
  for (int i = 0; i < 100; ++i)
    size.note(false);
  EXPECT_EQ(size.part_of(100), 1u);
  EXPECT_EQ(size.part_of(std::uint64_t{1} << 18), 2u);
}

TEST(slice_size, grows_again_once_many_in_a_row_are_taken) {
  rules::slice_size size;
  size.note(false);
  size.note(false);
  for (int i = 0; i < 15; ++i)
    size.note(true);
  EXPECT_EQ(size.part_of(100), 25u);
  size.note(false);
  for (int i = 0; i < 15; ++i)
    size.note(true);
  EXPECT_EQ(size.part_of(100), 12u) << "not in a row";
  size.note(true);
  EXPECT_EQ(size.part_of(100), 25u);
  for (int i = 0; i < 100; ++i)
    size.note(true);
  EXPECT_EQ(size.part_of(100), 100u);
}

} // namespace

} // namespace depositd
