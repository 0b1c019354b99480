// Who guesses passwords, and who is known.

#include "adapters/doors/kit/login_cache.hpp"
#include "adapters/doors/kit/login_throttle.hpp"

#include <gtest/gtest.h>

using namespace depositd;
using kit::login_cache;
using kit::login_throttle;
using standing = login_throttle::standing;

namespace {

void fail(login_throttle& x, std::uint32_t count, micros now = 1) {
  for (std::uint32_t i = 0; i < count; ++i) {
    EXPECT_TRUE(x.begin("a", "1", now));
    x.failed("a", "1");
  }
}

} // namespace

TEST(login_throttle, counts_what_is_being_checked_as_what_may_fail) {
  login_throttle x;
  for (std::uint32_t i = 0; i < login_throttle::failures_max; ++i)
    EXPECT_TRUE(x.begin("a", "1", 1));
  EXPECT_FALSE(x.begin("a", "1", 1));
  EXPECT_TRUE(x.begin("a", "2", 1));
  EXPECT_TRUE(x.begin("b", "1", 1));
  x.gave_up("a", "1");
  EXPECT_TRUE(x.begin("a", "1", 1));
}

TEST(login_throttle, forgives_after_a_window_and_after_success) {
  login_throttle x;
  fail(x, login_throttle::failures_max);
  EXPECT_FALSE(x.begin("a", "1", login_throttle::window_us));
  EXPECT_TRUE(x.begin("a", "1", login_throttle::window_us + 1));
  x.succeeded("a", "1");
  EXPECT_TRUE(x.begin("a", "1", login_throttle::window_us + 1));
  EXPECT_EQ(x.of("a", "1", 1), standing::open);
}

TEST(login_throttle, counts_what_it_refuses_until_nobody_gets_in) {
  login_throttle x;
  fail(x, login_throttle::failures_max);
  for (auto i = login_throttle::failures_max; i < login_throttle::misses_max;
       ++i) {
    EXPECT_EQ(x.of("a", "1", 1), standing::limited);
    x.missed("a", "1");
  }
  EXPECT_EQ(x.of("a", "1", 1), standing::closed);
  EXPECT_EQ(x.of("a", "2", 1), standing::open);
  EXPECT_EQ(x.of("a", "1", login_throttle::window_us + 1), standing::open);
}

TEST(login_throttle, keeps_no_more_bytes_than_allowed_whatever_the_names) {
  login_throttle x;
  fail(x, login_throttle::failures_max);
  for (int i = 0; i < 100; ++i) {
    EXPECT_TRUE(x.begin(std::string(1 << 20, 'x') + std::to_string(i), "1", 2));
    EXPECT_LE(x.bytes(), login_throttle::bytes_max);
  }
  EXPECT_EQ(x.of("a", "1", 2), standing::limited);
}

TEST(login_cache, knows_where_a_login_was_right) {
  login_cache x;
  const auto right = x.digest("a", "hash", "secret");
  EXPECT_EQ(right, x.digest("a", "hash", "secret"));
  EXPECT_FALSE(x.knows(right));
  x.remember(right, "1");
  EXPECT_TRUE(x.knows(right));
  EXPECT_TRUE(x.knows(right, "1"));
  EXPECT_FALSE(x.knows(right, "2"));
  EXPECT_FALSE(x.knows(x.digest("a", "new hash", "secret")));
  for (int i = 2; i < 100; ++i)
    x.remember(right, std::to_string(i));
  EXPECT_TRUE(x.knows(right, "99"));
  EXPECT_FALSE(x.knows(right, "1"));
}
