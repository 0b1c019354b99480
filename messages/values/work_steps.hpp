#pragma once

// Steps of jobs and batches: what a user's actor asks of those of a job and of
// a batch, and what these answer.

#include "messages/values/pipelines.hpp"
#include "messages/values/work_events.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace depositd {

/// What a job is while something happens to it.
struct job_at {
  item_id id = 0;
  item_id batch = 0;
  std::string queue;
  std::uint8_t priority = 0;
  std::uint32_t attempt = 0;   ///< the one that ended, or 0
  micros available_us = never; ///< delayed until then
  job_status status;
};

/// A worker is through with the stage; or was lost with it, which says nothing
/// but `retry` and why.
struct stage_ended {
  job_at job;
  outcome what;
  micros at_us = never;
  bool collection_held = false;
  std::shared_ptr<const pipeline> stages;
};

/// An operator wants something of it.
struct job_wanted {
  job_at job;
  work_action action = work_action::hold;
  std::string stage; ///< requeue: to here; empty: where it goes on
  std::string note;
  micros at_us = never;
  bool collection_held = false;
  std::shared_ptr<const pipeline> stages;
};

/// The move, and the new body of its item, if it changed.
struct job_step {
  job_moved move;
  std::shared_ptr<const std::string> body;
};

/// What a batch is while something happens to it.
struct batch_at {
  item_id id = 0;
  std::string queue;
  std::uint8_t priority = 0;
  std::uint32_t attempt = 0;
  batch_info info;
  batch_status status;
  job_counts jobs;
  std::uint32_t reports = 0;
};

/// A worker is through with a slice of splitting, or with a report; or all jobs
/// are terminal, which `what` says nothing of.
struct batch_stage_ended {
  batch_at batch;
  bool worker = true; ///< false: the counts alone
  outcome what;
  micros at_us = never;
  bool collection_held = false;
  std::shared_ptr<const pipeline> stages;
};

struct batch_wanted {
  batch_at batch;
  work_action action = work_action::hold;
  std::string note;
  micros at_us = never;
  std::shared_ptr<const pipeline> stages;
};

/// A job that comes into being with a step of its batch.
struct new_job {
  std::uint8_t priority = 0;
  job_info info;
  job_facts facts;
  job_status status;
  std::shared_ptr<const std::string> body;
};

struct batch_step {
  batch_moved move;
  std::shared_ptr<const std::string> body;
  std::vector<new_job> jobs; ///< not counted in the move yet
};

} // namespace depositd
