#pragma once

// The last hour of a few numbers, for the page of operators.

#include "adapters/doors/operations/engine_numbers.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <deque>
#include <optional>
#include <string>

namespace depositd {

inline constexpr std::chrono::seconds history_step{10};
inline constexpr std::size_t history_steps = 360;

/// What is kept of each step.
inline constexpr std::array history_series{
  "accepted", "finished", "failed", "waiting", "in_process", "oldest_s"};

/// Steps of ten seconds; those of the first hour that nobody measured, or in
/// which a shard was silent, are unknown.
class history {
public:
  /// A step has ended. The first one is only what later ones count from.
  void add(const engine_numbers& x, const lasting_counters& counts);

  /// Nobody knows what was in the step that has ended.
  void skip();

  /// {"step_s", "from_us", "series": {NAME: [...]}}, oldest first.
  std::string document(micros now_us) const;

private:
  using step = std::array<std::optional<double>, history_series.size()>;

  void put(step x);

  std::deque<step> steps_;
  std::optional<queue_counters> before_;
};

} // namespace depositd
