#pragma once

// What follows from how a stage ended.

#include "actors/rules/lifecycle/jobs.hpp"
#include "messages/values/pipelines.hpp"

#include <cstdint>
#include <string>

namespace depositd::rules {

/// What a handler says of its stage.
enum class stage_verdict : std::uint8_t {
  done,
  skip,      ///< was done before
  transient, ///< again after a delay, until the attempts run out
  fatal,     ///< no further attempt can help
  not_yet,   ///< a gate is closed: ask again, at no cost
};

struct stage_outcome {
  stage_verdict says = stage_verdict::done;
  std::uint32_t delay_ms = 0; ///< transient, not_yet: 0 = the stage's own
  bool submit_again = false;  ///< fatal: what was submitted is at fault
  std::string note;           ///< for people
};

/// What becomes of a job in a stage.
enum class next_step : std::uint8_t {
  advance, ///< to the next stage, or to the end
  again,   ///< the same stage, after the delay
  fail,
};

struct next_move {
  next_step step = next_step::advance;
  std::uint32_t delay_ms = 0;
  bool costs_attempt = true;
  bool needs_review = false;
  bool submit_again = false;
  std::string note;

  friend bool operator==(const next_move&, const next_move&) = default;
};

/// `attempt` is the one that ended so, the first is 1.
next_move after(const stage_settings& stage, std::uint32_t attempt,
                const stage_outcome& x);

/// The status of the job after that move, if it changes; a job that tries again
/// stays as it is. `at` is the state of the stage that ended, `next` that of
/// the stage behind it (`completed` behind the last). Refusals as in `moved`.
caf::expected<job_status> after(const job_status& now, const next_move& x,
                                job_move to);

/// Deaths of engines with one item in hand before one costs an attempt: a
/// poison job must not kill engines for ever.
inline constexpr std::uint32_t free_deaths_max = 2;

/// Whether the death of an engine with the item in hand costs it an attempt;
/// `deaths` counts this one.
constexpr bool death_costs_attempt(std::uint32_t deaths) {
  return deaths > free_deaths_max;
}

} // namespace depositd::rules
