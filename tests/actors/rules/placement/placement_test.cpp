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

TEST(placement, counts_failures_anew_after_five_seconds_of_service) {
  EXPECT_EQ(failures_after(0, 0), 1u);
  EXPECT_EQ(failures_after(3, 0), 4u) << "it was never served";
  EXPECT_EQ(failures_after(3, 5'000), 4u);
  EXPECT_EQ(failures_after(3, 5'001), 1u);
}

TEST(placement, leaves_alone_what_fails_again_and_again) {
  EXPECT_EQ(rest_ms_after(1), 0u) << "an accident";
  EXPECT_EQ(rest_ms_after(2), 1'000u);
  EXPECT_EQ(rest_ms_after(3), 2'000u);
  EXPECT_EQ(rest_ms_after(5), 5'000u);
  EXPECT_EQ(rest_ms_after(4'000'000'000), 5'000u);
}

} // namespace

} // namespace depositd::rules::placement
