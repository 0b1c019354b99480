#pragma once

// Turns of depositors for whom files are fetched: a server may need hours for
// what it sends, and workers are for others, too.

#include "adapters/processing/merritt/work_on_job.hpp"
#include "adapters/processing/stages/receiver_turns.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

namespace depositd::merritt {

/// Entered with the depositor, or with the place that a bag came to. How long a
/// fetch takes does not count.
inline std::shared_ptr<stages::receiver_turns> make_fetching_turns() {
  return std::make_shared<stages::receiver_turns>(
    stages::receiver_turns_options{
      .slow_most = stages::receiver_turns::no_limit,
      .wait = std::chrono::seconds{1}});
}

/// As many at once as one of them may have of a stage's workers in this
/// process: one is for others.
inline std::size_t fetched_at_once_by_one(const stage_settings& stage) {
  return std::max(std::min(stage.workers, stage.workers_per_node), 2U) - 1;
}

/// For whoever gets no turn, with the reason. They ask again soon, or workers
/// would be idle once the others are through.
inline outcome ended_without_turn(std::string reason) {
  constexpr std::uint32_t delay_ms = 2'000;
  auto out = ended(verdict::not_yet, std::move(reason));
  out.delay_ms = delay_ms;
  return out;
}

/// The same.
inline outcome wait_for_fetching(const std::string& others) {
  return ended_without_turn(others + " being fetched");
}

} // namespace depositd::merritt
