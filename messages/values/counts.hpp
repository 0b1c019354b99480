#pragma once

// Counts that only rise, as plain numbers in arrays: they cost a few additions
// for each item and are summed without knowing what they mean.

#include "messages/values/types.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace depositd {

/// Upper ends of the buckets of times, microseconds; one more has none.
inline constexpr std::array<micros, 11> time_bounds_us{
  1'000,      5'000,      20'000,      100'000,       500'000,       2'000'000,
  10'000'000, 60'000'000, 600'000'000, 3'600'000'000, 86'400'000'000};

/// Of a histogram of times: the buckets, and last the sum in microseconds.
inline constexpr std::size_t time_buckets = time_bounds_us.size() + 1;
inline constexpr std::size_t time_slots = time_buckets + 1;

/// The bucket of a time.
inline constexpr std::size_t time_bucket(micros x) noexcept {
  std::size_t out = 0;
  while (out < time_bounds_us.size() && x > time_bounds_us[out])
    ++out;
  return out;
}

/// How many items a user had in the queue when one was handed out: who comes
/// with a few should not wait for those who come with very many.
enum class crowd : std::uint8_t { few, some, many };
inline constexpr std::size_t crowds = 3;

inline constexpr crowd crowd_of(std::uint64_t items) noexcept {
  return items < 10 ? crowd::few : items < 1'000 ? crowd::some : crowd::many;
}

/// Times of one command, on their way to who adds them up.
struct few_times {
  std::array<std::uint16_t, time_buckets> in{};
  micros sum_us = 0;

  void add(micros x) noexcept {
    x = x < 0 ? 0 : x;
    ++in[time_bucket(x)]; // a command ends or hands out 10,000 at most
    sum_us += x;
  }
};

/// What a queue counts, by place in its numbers.
enum queue_count : std::size_t {
  count_entered,  ///< came in, from elsewhere in the engine too
  count_finished, ///< left
  count_failed,   ///< of these
  count_requeued,
  count_timed_out,
  count_declined, ///< turns for which the user had nothing that fits
  count_granted,  ///< turns, by `pick_kind`
  count_waits = count_granted + 3, ///< until the first hand-out, by `crowd`
  count_durations = count_waits + crowds * time_slots, ///< claim to end
  queue_counts = count_durations + time_slots
};

struct queue_counters {
  std::array<std::uint64_t, queue_counts> n{};

  void add(std::size_t at, const few_times& x) noexcept {
    for (std::size_t i = 0; i < time_buckets; ++i)
      n[at + i] += x.in[i];
    n[at + time_buckets] += static_cast<std::uint64_t>(x.sum_us);
  }

  void add(const queue_counters& x) noexcept {
    for (std::size_t i = 0; i < queue_counts; ++i)
      n[i] += x.n[i];
  }
};

/// What is counted of a journal's groups.
enum append_count : std::size_t {
  count_groups,
  count_events,
  count_bytes,
  count_flushes, ///< how long each group took
  append_counts = count_flushes + time_slots
};

struct append_counters {
  std::array<std::uint64_t, append_counts> n{};
};

} // namespace depositd
