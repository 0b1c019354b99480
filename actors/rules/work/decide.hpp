#pragma once

// Moves of jobs and batches through their pipeline: where the item goes, and
// what the state is then. Pure; the time comes in.

#include "actors/rules/lifecycle/batches.hpp"
#include "actors/rules/lifecycle/jobs.hpp"
#include "messages/values/work_steps.hpp"

namespace depositd::rules {

/// Its report is all that comes of it, and says why.
bool could_not_be_split(const batch_status& now, const job_counts& jobs);

/// What becomes of a job whose stage has ended. A document that cannot be read
/// fails the job. `ec::stale_claim`: the job is in no stage any more.
caf::expected<job_step> after_stage(const stage_ended& x);

/// What becomes of it as an operator wants; refusals name the state found.
caf::expected<job_step> as_wanted(const job_wanted& x);

/// What becomes of a job whose worker died with the engine: it is in its stage
/// again, or has failed when that has happened too often. `at.attempt` is the
/// one that ended.
job_moved after_death(const pipeline* stages, const job_at& at, micros now);

/// What becomes of a batch after a slice of splitting, after a report, or when
/// all its jobs are terminal. New jobs are not counted in its move: see
/// `work::counts_after`.
caf::expected<batch_step> after_stage(const batch_stage_ended& x);

caf::expected<batch_step> as_wanted(const batch_wanted& x);

/// Hand-outs of a batch before a transient failure is final.
inline constexpr std::uint32_t batch_attempts_max = 10;

} // namespace depositd::rules
