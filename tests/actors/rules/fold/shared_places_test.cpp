#include "actors/rules/fold/shared_places.hpp"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace depositd {

namespace {

body_location at(std::uint64_t group, std::uint32_t offset = 0) {
  return {group, offset, 10};
}

TEST(shared_places, of_copies_that_come_together_one_counts) {
  rules::shared_places all;
  all.begin_slice();
  EXPECT_TRUE(all.add(at(5)));
  EXPECT_FALSE(all.add(at(5)));
  EXPECT_FALSE(all.add(at(5)));
  EXPECT_TRUE(all.add(at(5, 20))) << "another body of the group";
  EXPECT_EQ(all.size(), 1u);
}

TEST(shared_places, the_last_that_goes_counts) {
  rules::shared_places all;
  all.begin_slice();
  for (int i = 0; i < 3; ++i)
    all.add(at(5));
  all.begin_slice();
  EXPECT_FALSE(all.drop(at(5)));
  EXPECT_FALSE(all.drop(at(5)));
  EXPECT_TRUE(all.drop(at(5)));
  EXPECT_EQ(all.size(), 0u) << "nothing is remembered of what nobody shares";
}

TEST(shared_places, a_copy_of_an_earlier_slice_does_not_count) {
  rules::shared_places all;
  all.begin_slice();
  EXPECT_TRUE(all.add(at(5)));
  all.begin_slice();
  EXPECT_FALSE(all.add(at(5)));
  EXPECT_FALSE(all.drop(at(5))) << "the first one, in the same slice";
  all.begin_slice();
  EXPECT_TRUE(all.drop(at(5)));
}

TEST(shared_places, tables_are_taken_in_any_order) {
  rules::shared_places all;
  std::vector<body_location> live{at(7), at(5, 20), at(7), at(5), at(7)};
  std::vector<std::pair<body_location, std::uint32_t>> shown;
  all.take_tables(live, [&](const body_location& x, std::uint32_t items) {
    shown.emplace_back(x, items);
  });
  EXPECT_EQ(shown, (decltype(shown){{at(5), 1}, {at(5, 20), 1}, {at(7), 3}}));
  EXPECT_EQ(all.size(), 1u);
  all.begin_slice();
  EXPECT_FALSE(all.add(at(5))) << "of a group that the tables have";
  EXPECT_TRUE(all.add(at(8)));
  EXPECT_FALSE(all.drop(at(5)));
  EXPECT_TRUE(all.drop(at(5)));
  EXPECT_FALSE(all.drop(at(7)));
  EXPECT_FALSE(all.drop(at(7)));
  EXPECT_TRUE(all.drop(at(7)));
}

} // namespace

} // namespace depositd
