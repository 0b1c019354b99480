#include "actors/rules/ring/pace.hpp"

#include <gtest/gtest.h>

namespace depositd::rules {
namespace {

TEST(pace, is_nothing_before_anything_is_finished) {
  EXPECT_EQ(pace{}.per_hour(0), 0u);
  EXPECT_EQ(pace{}.per_hour(1'000'000), 0u);
}

TEST(pace, counts_from_the_first_minute_with_something) {
  pace x;
  x.add(7'200, 10);
  EXPECT_EQ(x.per_hour(7'201), 600u) << "a minute at least";
  EXPECT_EQ(x.per_hour(7'800), 60u);
  x.add(7'800, 10);
  EXPECT_EQ(x.per_hour(7'800), 120u);
}

TEST(pace, forgets_what_was_more_than_an_hour_ago) {
  pace x;
  for (std::int64_t s = 0; s < 7'200; s += 10)
    x.add(s, 1);
  EXPECT_NEAR(static_cast<double>(x.per_hour(7'200)), 360, 6);
  EXPECT_EQ(x.per_hour(7'200 + 3'600), 0u);
  x.add(20'000, 5);
  EXPECT_EQ(x.per_hour(20'020), 300u) << "old minutes are not added to";
}

TEST(until_done, everybody_has_a_turn_before_each_of_ours) {
  EXPECT_EQ(
    items_until_done({.before = 2, .users = 5, .waiting = 1, .left = 100}), 3u);
  EXPECT_EQ(
    items_until_done({.before = 2, .users = 5, .waiting = 3, .left = 100}),
    13u);
  EXPECT_EQ(
    items_until_done(
      {.before = 2, .users = 5, .waiting = 3, .allocation = 3, .left = 100}),
    5u);
}

TEST(until_done, is_never_more_than_there_is) {
  EXPECT_EQ(
    items_until_done({.before = 9, .users = 10, .waiting = 50, .left = 70}),
    70u);
  EXPECT_EQ(items_until_done({.before = 9, .users = 10}), 0u);
  EXPECT_EQ(items_until_done({.waiting = 4}), 4u)
    << "numbers of different moments";
}

TEST(time_for, is_by_the_rate) {
  EXPECT_EQ(time_for(90, 3'600), micros{90'000'000});
  EXPECT_EQ(time_for(0, 3'600), micros{0});
  EXPECT_FALSE(time_for(1, 0));
  EXPECT_FALSE(time_for(100'000'000, 1)) << "beyond any guess";
}

} // namespace
} // namespace depositd::rules
