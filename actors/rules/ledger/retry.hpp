#pragma once

// When a failed item may be tried again.

#include "messages/values/types.hpp"

namespace depositd::rules {

/// Delay before the next attempt: the queue's first delay doubled per attempt
/// after the first, at most its maximum. `attempt` is the one that failed
/// (1 = first). Total over the whole range: never negative, never wraps.
std::uint32_t retry_delay_ms(const queue_settings& settings,
                             std::uint32_t attempt) noexcept;

/// Whether another attempt is allowed after this one.
bool may_retry(const queue_settings& settings, std::uint32_t attempt) noexcept;

/// What is delayed beyond this waits to be woken, not to be tried again: when
/// an engine starts, whoever was to wake it may be gone. Retries keep their
/// time.
micros woken_at_start_after(const queue_settings& settings,
                            micros now) noexcept;

} // namespace depositd::rules
