#pragma once

// How fast records are fed, and when a source that ends will be through.

#include "messages/values/types.hpp"

#include <array>
#include <cstdint>
#include <optional>

namespace depositd::rules {

/// Records fed over the last ten seconds, in slices of a tenth of a second.
class feed_rate {
public:
  /// Time never goes back; what comes with an older time counts as of now.
  void fed(std::uint64_t records, micros now_us);

  /// Records per second. Within the first ten seconds after the first record,
  /// over the time since then, at least one second.
  double per_second(micros now_us) const;

private:
  static constexpr micros slice_us = 100'000;
  static constexpr std::size_t slices = 100;

  void turn_to(micros now_us);

  std::array<std::uint64_t, slices> fed_{};
  micros slice_ = 0; ///< number of the newest one
  micros first_us_ = never;
};

/// Seconds until `done` is `total` at this rate, rounded up; nothing if nobody
/// can say.
std::optional<std::uint64_t> seconds_left(std::uint64_t done,
                                          std::optional<std::uint64_t> total,
                                          double per_second);

} // namespace depositd::rules
