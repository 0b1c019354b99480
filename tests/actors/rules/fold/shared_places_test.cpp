#include "actors/rules/fold/shared_places.hpp"

#include <gtest/gtest.h>

namespace depositd {

namespace {

body_location at(std::uint64_t group, std::uint32_t offset = 0) {
  return {group, offset, 10};
}

TEST(shared_places, of_copies_that_come_together_one_counts) {
  rules::shared_places all;
  all.end_tables();
  all.begin_part();
  EXPECT_TRUE(all.add(at(5)));
  EXPECT_FALSE(all.add(at(5)));
  EXPECT_FALSE(all.add(at(5)));
  EXPECT_TRUE(all.add(at(5, 20))) << "another body of the group";
  EXPECT_EQ(all.size(), 1u);
}

TEST(shared_places, the_last_that_goes_counts) {
  rules::shared_places all;
  all.end_tables();
  all.begin_part();
  for (int i = 0; i < 3; ++i)
    all.add(at(5));
  all.begin_part();
  EXPECT_FALSE(all.drop(at(5)));
  EXPECT_FALSE(all.drop(at(5)));
  EXPECT_TRUE(all.drop(at(5)));
  EXPECT_EQ(all.size(), 0u) << "nothing is remembered of what nobody shares";
}

TEST(shared_places, a_copy_of_an_earlier_slice_does_not_count) {
  rules::shared_places all;
  all.end_tables();
  all.begin_part();
  EXPECT_TRUE(all.add(at(5)));
  all.begin_part();
  EXPECT_FALSE(all.add(at(5)));
  EXPECT_FALSE(all.drop(at(5))) << "the first one, in the same slice";
  all.begin_part();
  EXPECT_TRUE(all.drop(at(5)));
}

TEST(shared_places, tables_are_taken_user_by_user) {
  rules::shared_places all;
  all.begin_part();
  EXPECT_TRUE(all.add(at(7)));
  EXPECT_FALSE(all.add(at(7)));
  all.begin_part();
  EXPECT_TRUE(all.add(at(5))) << "an older group, but another user's";
  all.end_tables();
  all.begin_part();
  EXPECT_FALSE(all.add(at(5)));
  EXPECT_FALSE(all.drop(at(7)));
  EXPECT_TRUE(all.drop(at(7)));
}

} // namespace

} // namespace depositd
