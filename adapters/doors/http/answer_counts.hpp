#pragma once

// Answers of a server, by route and status, and how long they took.

#include "messages/values/counts.hpp"

#include <array>
#include <atomic>
#include <cstdint>
#include <utility>
#include <vector>

namespace depositd::http {

/// From the first byte of a request until its answer began to leave.
struct answer_times {
  std::array<std::uint64_t, time_slots> n{};
};

/// Relaxed: nothing hangs on it.
struct answer_counter : std::atomic<std::uint64_t> {
  void operator++() noexcept {
    fetch_add(1, std::memory_order_relaxed);
  }
  void operator+=(std::uint64_t x) noexcept {
    fetch_add(x, std::memory_order_relaxed);
  }
};

/// Answers of one route. Any thread adds and reads.
class status_counts {
public:
  void add(unsigned status) noexcept {
    ++by_status_[status < status_end ? status : 0];
  }

  /// Those of which there is any, by status.
  std::vector<std::pair<unsigned, std::uint64_t>> all() const {
    std::vector<std::pair<unsigned, std::uint64_t>> out;
    for (unsigned i = 0; i < status_end; ++i)
      if (const auto count = by_status_[i].load(std::memory_order_relaxed))
        out.emplace_back(i, count);
    return out;
  }

private:
  static constexpr unsigned status_end = 600;

  std::array<answer_counter, status_end> by_status_{};
};

/// Any thread adds and reads; sums of one reading may be of different moments.
class answer_counts {
public:
  void add(micros took) noexcept {
    took = took < 0 ? 0 : took;
    ++times_[time_bucket(took)];
    times_[time_buckets] += static_cast<std::uint64_t>(took);
  }

  answer_times times() const {
    answer_times out;
    for (std::size_t i = 0; i < time_slots; ++i)
      out.n[i] = times_[i].load(std::memory_order_relaxed);
    return out;
  }

private:
  std::array<answer_counter, time_slots> times_{};
};

} // namespace depositd::http
