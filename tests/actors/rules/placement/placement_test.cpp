#include "actors/rules/placement/placement.hpp"

#include <gtest/gtest.h>

namespace depositd::rules::placement {

namespace {

TEST(placement, gives_everybody_about_as_many) {
  const engine_loads all{{"a", {2}}, {"b", {1}}};
  EXPECT_TRUE(may_take(all, "b", 4, false));
  EXPECT_FALSE(may_take(all, "a", 4, false));
  EXPECT_TRUE(may_take(all, "a", 4, true)) << "it was free for long";
  EXPECT_TRUE(must_give({{"a", {3}}, {"b", {1}}}, "a", 4));
  EXPECT_FALSE(must_give({{"a", {2}}, {"b", {2}}}, "a", 4));
}

TEST(placement, lets_one_of_those_with_more_give) {
  const engine_loads all{{"a", {2}}, {"b", {2}}, {"c", {0}}};
  EXPECT_TRUE(must_give(all, "a", 4));
  EXPECT_FALSE(must_give(all, "b", 4));
  EXPECT_FALSE(must_give(all, "c", 4));
}

TEST(placement, leaves_nothing_with_an_engine_that_does_not_reach_the_logs) {
  const engine_loads all{{"a", {2, false}}, {"b", {2}}};
  EXPECT_TRUE(must_give(all, "a", 4));
  EXPECT_FALSE(must_give(all, "b", 4));
  EXPECT_FALSE(may_take(all, "a", 4, true));
  EXPECT_TRUE(may_take(all, "b", 4, false)) << "its share is all of them";
  EXPECT_FALSE(must_give({{"a", {0, false}}, {"b", {4}}}, "a", 4));
  EXPECT_FALSE(must_give({{"a", {0, false}}, {"b", {4}}}, "b", 4));
}

TEST(placement, is_as_ever_when_nobody_reaches_the_logs) {
  const engine_loads all{{"a", {3, false}}, {"b", {1, false}}};
  EXPECT_TRUE(must_give(all, "a", 4));
  EXPECT_TRUE(may_take(all, "b", 4, false));
}

} // namespace

} // namespace depositd::rules::placement
