#include "actors/rules/ring/shares.hpp"

#include <gtest/gtest.h>

#include <initializer_list>

namespace depositd::rules {

namespace {

shares shares_of(std::initializer_list<double> got) {
  shares out;
  for (const auto x : got)
    out.add(x);
  return out;
}

TEST(shares_test, equal_shares_are_even) {
  EXPECT_DOUBLE_EQ(shares_of({4, 4, 4}).evenness(), 1);
  EXPECT_DOUBLE_EQ(shares_of({4, 4, 4}).lag(), 0);
}

TEST(shares_test, one_who_takes_all_makes_one_of_n) {
  EXPECT_DOUBLE_EQ(shares_of({8, 0, 0, 0}).evenness(), 0.25);
  EXPECT_DOUBLE_EQ(shares_of({8, 0, 0, 0}).lag(), 1);
}

TEST(shares_test, the_lag_is_of_who_got_least) {
  EXPECT_DOUBLE_EQ(shares_of({1, 3, 2}).lag(), 0.5);
}

TEST(shares_test, nothing_for_all_is_even) {
  EXPECT_DOUBLE_EQ(shares{}.evenness(), 1);
  EXPECT_DOUBLE_EQ(shares_of({0, 0}).evenness(), 1);
  EXPECT_DOUBLE_EQ(shares_of({0, 0}).lag(), 0);
}

} // namespace

} // namespace depositd::rules
