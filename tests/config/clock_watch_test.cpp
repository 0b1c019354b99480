#include "config/clock_watch.hpp"

#include <gtest/gtest.h>

namespace depositd {

namespace {

constexpr micros second = 1'000'000;
constexpr micros hour = 3'600 * second;

} // namespace

TEST(clock_watch, tells_each_step_once) {
  clock_watch watch;
  const micros start = 1'700'000'000 * second;
  EXPECT_FALSE(watch.look(start, start));
  EXPECT_FALSE(watch.look(start + 5 * second, start)) << "it drifts";
  EXPECT_EQ(watch.look(start + hour, start), hour);
  EXPECT_FALSE(watch.look(start + 2 * hour, start + hour));
  EXPECT_EQ(watch.look(start + hour, start + 2 * hour), -hour);
  EXPECT_EQ(watch.look(start + 3 * hour, start + 3 * hour), 0)
    << "it is right again";
  EXPECT_FALSE(watch.look(start + 4 * hour, start + 4 * hour));
}

} // namespace depositd
