// How many keys the limit of requests keeps in mind.

#include "adapters/doors/kit/rate_limit.hpp"

#include <gtest/gtest.h>

namespace depositd::testing {

namespace {

using namespace std::chrono_literals;
using kit::rate_limit;

constexpr rate_limit::time start{100s};

TEST(kit_rate_limit, gives_who_hammers_its_rate_and_no_more) {
  rate_limit x{10};
  int taken = 0;
  for (auto t = 0ms; t < 10s; t += 10ms)
    taken += x.take("ann", start + t) ? 1 : 0;
  EXPECT_GE(taken, 108);
  EXPECT_LE(taken, 110);
}

TEST(kit_rate_limit, forgets_keys_whose_buckets_are_full_again) {
  rate_limit x{2};
  for (int i = 0; i < 1'000; ++i)
    EXPECT_TRUE(x.take(std::to_string(i), start));
  EXPECT_TRUE(x.take("busy", start + 900ms));
  EXPECT_EQ(x.size(), 1'001U);
  EXPECT_TRUE(x.take("new", start + 1s));
  EXPECT_EQ(x.size(), 2U);
  // What is still in use counts on.
  EXPECT_TRUE(x.take("busy", start + 1s));
  EXPECT_FALSE(x.take("busy", start + 1s));
}

TEST(kit_rate_limit, gives_keys_beyond_the_bound_one_bucket_together) {
  rate_limit x{1};
  for (std::size_t i = 0; i < rate_limit::keys_max; ++i)
    x.take(std::to_string(i), start);
  EXPECT_TRUE(x.take("one too many", start));
  EXPECT_FALSE(x.take("another", start));
  EXPECT_EQ(x.size(), rate_limit::keys_max);
  EXPECT_TRUE(x.take("another", start + 1s));
  EXPECT_EQ(x.size(), 1U);
}

} // namespace

} // namespace depositd::testing
