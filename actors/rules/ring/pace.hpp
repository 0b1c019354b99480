#pragma once

// How fast a queue gets on, and so when somebody's items are probably done.
// Pure: time comes in as an argument.

#include "messages/values/types.hpp"

#include <array>
#include <cstdint>
#include <optional>

namespace depositd::rules {

/// How many items are finished in an hour: a moving average over the last hour,
/// from the first minute of it in which something was finished.
class pace {
public:
  void add(std::int64_t now_s, std::uint64_t count) noexcept;

  /// 0 if nothing was finished in the last hour.
  std::uint64_t per_hour(std::int64_t now_s) const noexcept;

private:
  struct slot {
    std::int64_t minute = -1;
    std::uint64_t finished = 0;
  };

  std::array<slot, 60> slots_; ///< by minute
};

/// Where a user stands in a queue.
struct ring_place {
  std::uint64_t before = 0;     ///< users whose turn comes first
  std::uint64_t users = 0;      ///< in the ring, this one too
  std::uint64_t waiting = 0;    ///< items of the user
  std::uint32_t allocation = 1; ///< of the user
  std::uint64_t left = 0;       ///< items of all users, those in process too
};

/// How many items are done until the user's are, if everybody else has one item
/// a turn and goes on having some; never more than there are.
std::uint64_t items_until_done(const ring_place& x) noexcept;

/// How long so many items take, in microseconds; nothing if nothing is
/// finished at all.
std::optional<micros> time_for(std::uint64_t items,
                               std::uint64_t per_hour) noexcept;

} // namespace depositd::rules
