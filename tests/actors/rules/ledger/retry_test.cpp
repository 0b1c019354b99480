#include "actors/rules/ledger/retry.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace depositd::rules {

namespace {

queue_settings with_delays(std::uint32_t first, std::uint32_t maximum) {
  queue_settings out;
  out.retry_delay_ms = first;
  out.retry_delay_ms_max = maximum;
  return out;
}

} // namespace

TEST(retry_delay, doubles_with_every_attempt_up_to_the_maximum) {
  const auto settings = with_delays(1000, 7000);
  EXPECT_EQ(retry_delay_ms(settings, 1), 1000u);
  EXPECT_EQ(retry_delay_ms(settings, 2), 2000u);
  EXPECT_EQ(retry_delay_ms(settings, 3), 4000u);
  EXPECT_EQ(retry_delay_ms(settings, 4), 7000u);
  EXPECT_EQ(retry_delay_ms(settings, 5), 7000u);
}

TEST(retry_delay, never_wraps) {
  const auto settings = with_delays(no_cap, no_cap);
  for (auto attempt : {1u, 2u, 32u, 33u, 34u, 64u, 65u, no_cap})
    EXPECT_EQ(retry_delay_ms(settings, attempt), no_cap) << attempt;
  EXPECT_EQ(retry_delay_ms(with_delays(1, no_cap), 32), 1u << 31);
  EXPECT_EQ(retry_delay_ms(with_delays(1, no_cap), 33), no_cap);
}

TEST(retry_delay, of_zero_stays_zero) {
  EXPECT_EQ(retry_delay_ms(with_delays(0, 7000), 40), 0u);
}

TEST(retry_delay, a_maximum_below_the_first_delay_wins) {
  EXPECT_EQ(retry_delay_ms(with_delays(1000, 10), 1), 10u);
}

TEST(retry_delay, no_attempt_yet_counts_as_the_first) {
  EXPECT_EQ(retry_delay_ms(with_delays(1000, 7000), 0), 1000u);
}

RC_GTEST_PROP(retry_delay, never_falls_and_keeps_to_the_maximum,
              (std::uint32_t first, std::uint32_t maximum)) {
  const auto settings = with_delays(first, maximum);
  std::uint32_t before = 0;
  for (std::uint32_t attempt = 0; attempt < 70; ++attempt) {
    const auto delay = retry_delay_ms(settings, attempt);
    RC_ASSERT(delay >= before);
    RC_ASSERT(delay <= maximum);
    before = delay;
  }
}

TEST(may_retry, while_attempts_are_left) {
  queue_settings settings;
  settings.attempts_max = 3;
  EXPECT_TRUE(may_retry(settings, 1));
  EXPECT_TRUE(may_retry(settings, 2));
  EXPECT_FALSE(may_retry(settings, 3));
  EXPECT_FALSE(may_retry(settings, 4));
}

TEST(may_retry, for_ever_without_a_limit) {
  queue_settings settings;
  settings.attempts_max = no_cap;
  EXPECT_TRUE(may_retry(settings, no_cap));
}

TEST(may_retry, never_if_no_attempt_is_allowed) {
  queue_settings settings;
  settings.attempts_max = 0;
  EXPECT_FALSE(may_retry(settings, 1));
}

TEST(woken_at_start, leaves_every_retry_its_time) {
  queue_settings settings;
  settings.retry_delay_ms_max = 1'000;
  EXPECT_EQ(woken_at_start_after(settings, 5), 60'000'005);
  settings.retry_delay_ms_max = 90'000;
  EXPECT_EQ(woken_at_start_after(settings, 5), 90'000'005);
}

} // namespace depositd::rules
