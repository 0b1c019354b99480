#include "messages/values/estimates.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace depositd {

namespace {

constexpr auto most =
  static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());

std::uint64_t add(std::uint64_t x, std::uint64_t y) {
  return x > most - std::min(y, most) ? most : x + y;
}

std::uint8_t clamped(std::uint64_t priority) {
  return static_cast<std::uint8_t>(
    std::min<std::uint64_t>(priority, priority_last));
}

std::uint32_t penalty_of(const estimate_rules& by, std::uint64_t bytes) {
  const size_penalty* best = nullptr;
  for (const auto& x : by.sizes)
    if (bytes >= x.bytes_min && (!best || x.bytes_min >= best->bytes_min))
      best = &x;
  return best ? best->penalty : 0;
}

std::uint64_t bytes_of(std::int64_t space_needed) {
  return space_needed < 0 ? 0 : static_cast<std::uint64_t>(space_needed);
}

} // namespace

std::uint8_t first_priority(std::uint64_t jobs,
                            std::optional<std::uint8_t> of_collection) {
  if (of_collection)
    return clamped(*of_collection);
  const auto count = static_cast<double>(std::max<std::uint64_t>(jobs, 1));
  return clamped(static_cast<std::uint64_t>(10 * std::log(count) + 5));
}

job_estimate estimate(const estimate_rules& by, std::uint8_t first,
                      const measured_sizes& sizes) {
  if (sizes.known == 0 && sizes.unknown > 0)
    return {unknown_space, false,
            clamped(std::uint64_t{first} + by.unknown_penalty)};
  auto out = measured(by, first, sizes.bytes);
  out.at_least = sizes.unknown > 0;
  return out;
}

job_estimate measured(const estimate_rules& by, std::uint8_t first,
                      std::uint64_t bytes) {
  return {static_cast<std::int64_t>(std::min(bytes, most)), false,
          clamped(std::uint64_t{first} + penalty_of(by, bytes))};
}

bool has_room(const provision_rules& by, const disk_space& disk,
              std::uint64_t promised, std::int64_t space_needed) {
  const auto needed = add(promised, bytes_of(space_needed));
  if (needed > disk.free || disk.free - needed < by.free_min)
    return false;
  const auto used = static_cast<double>(disk.total - disk.free + needed);
  return used * 100 <= static_cast<double>(disk.total) * by.used_percent_max;
}

} // namespace depositd
