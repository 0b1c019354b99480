#pragma once

// What doors, operators and handlers say about batches and jobs, and what the
// user's actor asks of those of a batch and of a job.

#include "messages/message.hpp"
#include "messages/values/work_events.hpp"
#include "messages/values/work_rows.hpp"
#include "messages/values/work_steps.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace depositd {

// -- submitting ---------------------------------------------------------------

/// One batch for a pipeline. `ec::not_found`: no such collection or pipeline;
/// `ec::not_allowed`: it is not for this user.
struct submit_batch {
  std::string user;
  batch_info info; ///< without a pipeline: its collection says which
  std::uint8_t priority = 0; ///< of the batch, not of its jobs
  std::string document;      ///< a `batch_document`, for the splitting
};
DEPOSITD_MESSAGE(88, submit_batch, user, info, priority, document);

/// The batch is durable.
struct batch_accepted {
  item_id id = 0;
};
DEPOSITD_MESSAGE(89, batch_accepted, id);

// -- ordering -----------------------------------------------------------------

/// What an operator wants of one job. `ec::invalid_argument` names the state
/// that was found.
struct order_job {
  item_id id = 0;
  std::string user; ///< whose it is, from the read model
  work_action action = work_action::hold;
  std::string stage; ///< requeue: to here; empty: where it goes on
  std::string note;  ///< who, and why
};
DEPOSITD_MESSAGE(90, order_job, id, user, action, stage, note);

struct job_ordered {
  job_status status; ///< that it has now
};
DEPOSITD_MESSAGE(91, job_ordered, status);

struct order_batch {
  item_id id = 0;
  std::string user;
  work_action action = work_action::hold;
  std::string note;
};
DEPOSITD_MESSAGE(92, order_batch, id, user, action, note);

struct batch_ordered {
  batch_status status;
};
DEPOSITD_MESSAGE(93, batch_ordered, status);

/// The same for all jobs that match, slice by slice; those that cannot be moved
/// so are passed over.
struct order_jobs {
  static constexpr bool takes_long = true;

  job_query which; ///< its count and its place in a list do not matter
  work_action action = work_action::hold;
  std::string stage;
  std::string note;
  bool count_only = false;
};
DEPOSITD_MESSAGE(94, order_jobs, which, action, stage, note, count_only);

struct jobs_ordered {
  std::uint64_t matched = 0;
  std::uint64_t moved = 0;
};
DEPOSITD_MESSAGE(95, jobs_ordered, matched, moved);

/// Batches that are completed or deleted leave the store, with their jobs.
struct forget_batches {
  static constexpr bool takes_long = true;

  item_id id = 0;   ///< 0: all that are at their end
  std::string user; ///< of the one, or of all; empty: of all users
  micros changed_before_us = never; ///< of all: only these; never: all
};
DEPOSITD_MESSAGE(96, forget_batches, id, user, changed_before_us);

struct batches_forgotten {
  std::uint64_t count = 0;
};
DEPOSITD_MESSAGE(97, batches_forgotten, count);

// -- reading ------------------------------------------------------------------

DEPOSITD_NUMBER(98, batch_query);

struct batches_found {
  std::vector<batch_row> rows;
  bool more = false;
};
DEPOSITD_MESSAGE(99, batches_found, rows, more);

DEPOSITD_NUMBER(100, job_query);

struct jobs_found {
  std::vector<job_row> rows;
  bool more = false;
};
DEPOSITD_MESSAGE(101, jobs_found, rows, more);

// -- waiting ------------------------------------------------------------------

/// What these items have waited for may have come: they are handed out now, not
/// when their time is over. Those that do not wait are passed over. Nothing of
/// it is kept.
struct wake_items {
  std::string user;
  std::string queue;
  std::vector<item_id> ids;
};
DEPOSITD_MESSAGE(105, wake_items, user, queue, ids);

/// The time that an item waits which is to be woken, if it is not.
inline constexpr std::uint32_t woken_wait_ms = 3'600'000;

// -- deciding: between a user's actor and those of a batch and of a job -------

DEPOSITD_LOCAL(stage_ended);
DEPOSITD_LOCAL(job_wanted);
DEPOSITD_LOCAL(job_step);
DEPOSITD_LOCAL(batch_stage_ended);
DEPOSITD_LOCAL(batch_wanted);
DEPOSITD_LOCAL(batch_step);

} // namespace depositd
