#pragma once

// The batches and jobs of one user whose items live: what every decision about
// them needs in memory. The same `apply` serves live and replay. Their items
// are in the ledgers.

#include "actors/rules/lifecycle/batches.hpp"
#include "actors/rules/lifecycle/jobs.hpp"
#include "messages/values/control.hpp"
#include "messages/values/events.hpp"
#include "messages/values/rows.hpp"
#include "messages/values/work_steps.hpp"

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

namespace depositd::rules {

/// A batch as it is kept.
struct kept_batch {
  std::string queue; ///< where its item is
  batch_info info;
  batch_status status;
  job_counts jobs;
  std::uint32_t reports = 0;
};

/// A job as it is kept: there may be millions, so without texts.
struct kept_job {
  item_id batch = 0;
  micros changed_us = never;
  std::size_t uuid_hash = 0; ///< whose document its own must stay
  std::uint32_t retry_count = 0;
  job_state state = job_state::none;
  job_state last_successful = job_state::none;
  std::uint8_t deaths = 0;
  bool needs_review : 1 = false;
  bool submit_again : 1 = false;
};

class work {
public:
  /// Applies what happened to batches and jobs; other events are ignored.
  void apply(const event& x);

  void restore(const batch_row& row);
  void restore(const job_row& row);

  bool empty() const noexcept {
    return batches_.empty() && jobs_.empty();
  }

  /// Null if it does not live.
  const kept_batch* batch(item_id id) const;
  const kept_job* job(item_id id) const;

  /// The job's status without its note.
  job_status status_of(const kept_job& x) const;

  const std::map<item_id, kept_batch>& batches() const noexcept {
    return batches_;
  }

  std::size_t jobs() const noexcept {
    return jobs_.size();
  }

  /// Jobs that match, by their numbers.
  std::vector<item_id>
  jobs_that(const std::function<bool(const kept_job&)>& match) const;

  // -- deciding: none of these changes anything

  /// The move, and what it makes of the counts of its batch.
  std::vector<event> with_counts(job_moved x) const;

  /// The counts of a batch after the step, which may have been decided by older
  /// ones: what jobs have changed since stays, and the new jobs are added.
  job_counts counts_after(const batch_step& x) const;

  /// Of batches: those of which the counts say that they go on.
  std::vector<item_id> batches_that_go_on() const;

private:
  struct applier;

  std::map<item_id, kept_batch> batches_;
  std::unordered_map<item_id, kept_job> jobs_;
};

} // namespace depositd::rules
