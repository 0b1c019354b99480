#include "actors/rules/ring/pace.hpp"

#include <algorithm>

namespace depositd::rules {

namespace {

constexpr std::int64_t minute_s = 60;
constexpr std::uint64_t hour_s = 3'600;
constexpr std::uint64_t hours_max = 24 * 366; // beyond that it is a guess

} // namespace

void pace::add(std::int64_t now_s, std::uint64_t count) noexcept {
  const auto minute = now_s / minute_s;
  auto& x = slots_[static_cast<std::size_t>(minute) % slots_.size()];
  if (x.minute != minute)
    x = {minute, 0};
  x.finished += count;
}

std::uint64_t pace::per_hour(std::int64_t now_s) const noexcept {
  const auto now = now_s / minute_s;
  const auto from = now - static_cast<std::int64_t>(slots_.size()) + 1;
  std::uint64_t sum = 0;
  auto first = now;
  for (const auto& x : slots_)
    if (x.finished > 0 && x.minute >= from && x.minute <= now) {
      sum += x.finished;
      first = std::min(first, x.minute);
    }
  const auto passed =
    static_cast<std::uint64_t>(std::max(minute_s, now_s - first * minute_s));
  return (sum * hour_s + passed / 2) / passed;
}

std::uint64_t items_until_done(const ring_place& x) noexcept {
  if (x.waiting == 0)
    return 0;
  const auto turn = std::max<std::uint64_t>(x.allocation, 1);
  const auto rounds = (x.waiting + turn - 1) / turn;
  const auto others = x.users > 0 ? x.users - 1 : 0;
  return std::min(x.waiting + x.before + (rounds - 1) * others,
                  std::max(x.left, x.waiting));
}

std::optional<micros> time_for(std::uint64_t items,
                               std::uint64_t per_hour) noexcept {
  if (per_hour == 0 || items / per_hour > hours_max)
    return std::nullopt;
  const auto seconds =
    static_cast<double>(items) * hour_s / static_cast<double>(per_hour);
  return static_cast<micros>(seconds * 1e6);
}

} // namespace depositd::rules
