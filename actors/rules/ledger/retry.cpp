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

} // namespace depositd::rules
