#pragma once

// Turns of depositors for whom files are fetched: a server may need hours for
// what it sends, and workers are for others, too.

#include "adapters/processing/merritt/work_on_job.hpp"
#include "adapters/processing/stages/receiver_turns.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

namespace depositd::merritt {

/// Entered with the depositor. How long a fetch takes does not count.
inline std::shared_ptr<stages::receiver_turns> make_fetching_turns() {
  return std::make_shared<stages::receiver_turns>(
    stages::receiver_turns_options{
      .slow_most = stages::receiver_turns::no_limit,
      .wait = std::chrono::seconds{1}});
}

/// For whoever gets no turn. They ask again soon, or workers would be idle once
/// the others are through.
inline outcome wait_for_fetching(const std::string& others) {
  constexpr std::uint32_t delay_ms = 2'000;
  auto out = ended(verdict::not_yet, others + " being fetched");
  out.delay_ms = delay_ms;
  return out;
}

} // namespace depositd::merritt
