// Submissions that are over for as long as they are kept go.

#include "actors/projection/parts.hpp"
#include "messages/values/grace.hpp"
#include "messages/values/test_points.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>

namespace depositd::projection {

namespace {

/// A twentieth of how long all is kept, and no more than so much.
std::chrono::milliseconds part_of(std::int64_t retention_s,
                                  std::chrono::seconds most) {
  return std::chrono::milliseconds{
    std::min<std::int64_t>(retention_s, 20 * most.count()) * 1'000 / 20};
}

/// What is kept for a year may be forgotten a minute late: to ask the tables
/// with every slice costs them a transaction each time.
constexpr std::chrono::minutes forgetting_pause_max{1};

micros older_clock(self_pointer self) {
  const auto& options = self->state.options;
  const auto counted = options.clock.at(self->clock().now());
  return options.wall_us ? std::min(counted, options.wall_us()) : counted;
}

} // namespace

void begin_forgetting(self_pointer self) {
  self->state.forget_next
    = self->clock().now()
      + part_of(self->state.options.retention_s, grace_after_start);
}

void forget_old(self_pointer self) {
  constexpr std::uint32_t count_max = 1'000;
  auto& state = self->state;
  const auto& options = state.options;
  if (seeded_bug("kept_for_ever") || self->clock().now() < state.forget_next)
    return;
  const auto now_us = older_clock(self);
  const auto kept_us =
    seeded_bug("forgotten_at_once") ? 0 : options.retention_s * 1'000'000;
  const auto forgotten = options.projection->forget_submissions(
    std::min(now_us - kept_us, published_before_us(state, now_us)),
    count_max);
  if (!forgotten || *forgotten < count_max)
    state.forget_next
      = self->clock().now()
        + part_of(options.retention_s, forgetting_pause_max);
  if (forgotten)
    (void)state.forgetting.is_over();
  else if (auto reason = render(forgotten.error());
           state.forgetting.is_new(reason))
    spdlog::warn("forget_submissions_failed reason=\"{}\"", reason);
}

} // namespace depositd::projection
