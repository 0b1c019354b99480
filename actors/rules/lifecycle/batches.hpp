#pragma once

// What becomes of a batch. It is complete by counting: nobody looks for jobs.

#include "actors/rules/lifecycle/machines.hpp"
#include "messages/values/errors.hpp"

#include <string>

namespace depositd::rules {

/// As `job_move`.
struct batch_move {
  batch_state from = batch_state::none;
  batch_state to = batch_state::none;
  micros at_us = never;
  std::string note;
};

/// As for jobs; a batch begins `pending`.
caf::expected<batch_status> moved(const batch_status& now, const batch_move& x);

/// Counts a move of one of its jobs; `from` is `none` for a new one.
void count(job_counts& to, job_state from, job_state becomes);

/// What the counts say of a batch.
enum class batch_verdict : std::uint8_t {
  open,          ///< not yet split to the end, or a job is open (held ones are)
  all_completed, ///< but for deleted ones, which count for neither
  some_failed,
};

batch_verdict judge(const job_counts& x);

/// The next move that follows from the counts alone, `none` if there is none:
/// a batch whose jobs are all terminal goes to its report. A failed batch
/// stays, until an operator asks for an update.
batch_state next_state(batch_state now, const job_counts& x);

/// Where a report leads that was sent (`reporting`, `update_reporting`): only
/// a batch of which nothing failed and nothing is open is completed.
batch_state after_report(batch_state now, const job_counts& x);

/// What an operator asks of one batch.
struct batch_request {
  work_action action = work_action::hold;
  micros at_us = never;
  std::string note = {};
};

struct batch_answer {
  batch_status status;
  bool removed = false; ///< no move: the batch and its jobs leave the store
};

/// `ec::invalid_argument` names the state and says what is possible.
caf::expected<batch_answer> decide(const batch_status& now,
                                   const batch_request& x);

} // namespace depositd::rules
