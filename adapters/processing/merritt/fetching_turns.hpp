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

/// Whoever has had a fetch for so long is slow.
inline constexpr std::chrono::milliseconds slow_fetch_from{60'000};

/// Bytes a second: a large file that comes so fast is not put back. It would be
/// read again to go on, or be fetched from its beginning.
inline constexpr std::uint64_t fast_fetch_from = 1 << 20;

/// Entered with the depositor, or with the place that a bag came to.
inline std::shared_ptr<stages::receiver_turns>
make_fetching_turns(std::chrono::milliseconds slow_from = slow_fetch_from) {
  return std::make_shared<stages::receiver_turns>(
    stages::receiver_turns_options{.slow_most = stages::turn_limits::no_limit,
                                   .slow_from = slow_from,
                                   .fast_from = fast_fetch_from,
                                   .wait = std::chrono::seconds{1}});
}

/// A stage's workers in this process, where fetches are counted.
inline std::size_t fetching_workers(const stage_settings& stage) {
  return std::max(std::min(stage.workers, stage.workers_per_node), 2U);
}

/// One worker is for others than who has the others already; who are slow and
/// have some leave it to who has none.
inline stages::turn_limits fetching_limits(std::size_t workers) {
  return {.most = workers - 1, .slow_most = workers - 1};
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

/// For whoever was put back: others have waited. It costs no attempt.
inline outcome put_back_for_others() {
  return ended_without_turn("it has been fetched for long, and all workers "
                            "were taken: later, from where it was");
}

} // namespace depositd::merritt
