#pragma once

// What becomes of a job: every move is checked against the table, and a move
// that is refused changes nothing.

#include "actors/rules/lifecycle/machines.hpp"
#include "messages/values/errors.hpp"

#include <optional>
#include <string>

namespace depositd::rules {

/// A move names the state it expects, so a repeat of it finds another one.
struct job_move {
  job_state from = job_state::none;
  job_state to = job_state::none;
  micros at_us = never;
  std::string note;
};

/// The status after the move. `ec::stale_claim` if the job is not where the
/// move expects it, `ec::invalid_argument` if there is no such arrow; both
/// name the state that was found. A job of state `none` can be created, in
/// `pending` or `held`.
caf::expected<job_status> moved(const job_status& now, const job_move& x);

job_group group_of(job_state x);

/// Where a failed job resumes: the stage behind the last successful one.
job_state resumes_at(const job_status& now);

/// What an operator asks of one job.
struct job_request {
  work_action action = work_action::hold;
  std::optional<job_state> to = {}; ///< requeue: an earlier stage, if named
  micros at_us = never;
  std::string note = {};
};

/// What becomes of it: another status, or the end of the job.
struct job_answer {
  job_status status;
  bool removed = false; ///< no move: the job leaves the store
};

/// `ec::invalid_argument` names the state and says what is possible.
caf::expected<job_answer> decide(const job_status& now, const job_request& x);

/// In which state a job enters (or comes back to) its pipeline: only what is
/// pending is held with its collection, later stages go on.
job_state entered(job_state wanted, bool collection_held);

} // namespace depositd::rules
