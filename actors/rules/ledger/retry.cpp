#include "actors/rules/ledger/retry.hpp"

#include <algorithm>

namespace depositd::rules {

std::uint32_t retry_delay_ms(const queue_settings& settings,
                             std::uint32_t attempt) noexcept {
  // 32 doublings take any delay beyond the largest maximum.
  const auto doublings = std::min(attempt > 0 ? attempt - 1 : 0, 32u);
  const auto delay = std::uint64_t{settings.retry_delay_ms} << doublings;
  return static_cast<std::uint32_t>(
    std::min<std::uint64_t>(delay, settings.retry_delay_ms_max));
}

bool may_retry(const queue_settings& settings, std::uint32_t attempt) noexcept {
  return settings.attempts_max == no_cap || attempt < settings.attempts_max;
}

micros woken_at_start_after(const queue_settings& settings,
                            micros now) noexcept {
  // Also of a queue whose retries come quickly: a delay may have been said.
  constexpr micros said_delay_us = micros{60} * 1'000'000;
  return now
         + std::max(said_delay_us, micros{settings.retry_delay_ms_max} * 1'000);
}

} // namespace depositd::rules
