#include "actors/rules/sources/progress.hpp"

#include <algorithm>
#include <cmath>

namespace depositd::rules {

void feed_rate::turn_to(micros now_us) {
  const auto now = now_us / slice_us;
  if (now - slice_ >= static_cast<micros>(slices))
    fed_.fill(0);
  else
    for (auto i = slice_ + 1; i <= now; ++i)
      fed_[static_cast<std::size_t>(i) % slices] = 0;
  slice_ = std::max(slice_, now);
}

void feed_rate::fed(std::uint64_t records, micros now_us) {
  if (first_us_ == never) {
    first_us_ = now_us;
    slice_ = now_us / slice_us;
  }
  turn_to(now_us);
  fed_[static_cast<std::size_t>(slice_) % slices] += records;
}

double feed_rate::per_second(micros now_us) const {
  if (first_us_ == never)
    return 0;
  auto looked = *this;
  looked.turn_to(now_us);
  std::uint64_t sum = 0;
  for (const auto x : looked.fed_)
    sum += x;
  constexpr micros window_us = slice_us * static_cast<micros>(slices);
  const auto over =
    std::clamp<micros>(now_us - first_us_, 1'000'000, window_us);
  return static_cast<double>(sum) * 1e6 / static_cast<double>(over);
}

std::optional<std::uint64_t> seconds_left(std::uint64_t done,
                                          std::optional<std::uint64_t> total,
                                          double per_second) {
  if (!total)
    return std::nullopt;
  if (done >= *total)
    return 0;
  if (per_second <= 0)
    return std::nullopt;
  return static_cast<std::uint64_t>(
    std::ceil(static_cast<double>(*total - done) / per_second));
}

} // namespace depositd::rules
