#pragma once

// What a change does to a row of the projection. Pure, so that every adapter
// of the projection port and the fold agree on it.

#include "messages/values/rows.hpp"

namespace depositd {

/// Puts the change into the item it names.
inline void apply_change(item_row& row, const item_change& change) {
  if (change.has_claim_state) {
    row.state = change.state;
    row.attempt = change.attempt;
    row.available_us = change.available_us;
    row.token = change.token;
    row.deadline_us = change.deadline_us;
    row.local = change.local;
    row.processor = change.processor;
  }
  if (change.has_deadline)
    row.deadline_us = change.deadline_us;
  if (change.has_parked_state) {
    // Neither claimed nor delayed any more, as if both came in one slice.
    row.state = change.state;
    row.available_us = never;
    row.token = 0;
    row.deadline_us = never;
    row.local = false;
    row.processor.clear();
  }
  if (change.has_queue)
    row.queue = change.queue;
  if (change.has_priority)
    row.priority = change.priority;
  if (change.place.length > 0)
    row.place = change.place;
}

/// Puts the change into the submission it names. With several flags set the
/// later station of a submission's life wins.
inline void apply_change(submission_row& row, const submission_change& change) {
  if (change.has_started) {
    row.status = submission_status::in_process;
    row.started_us = change.started_us;
    row.attempt = change.attempt;
    row.processor = change.processor;
  }
  if (change.has_returned) {
    row.status = submission_status::queued;
    row.attempt = change.attempt;
  }
  if (change.has_finished) {
    row.status = submission_status::completed;
    row.failed = change.failed;
    row.finished_us = change.finished_us;
    row.reason = change.reason;
    row.batch_id = change.batch_id;
    row.document = change.document;
  }
  if (change.has_parked)
    row.parked = change.parked;
}

/// Puts the change into the batch it names.
inline void apply_change(batch_row& row, const batch_change& change) {
  row.jobs = change.jobs;
  if (change.has_move) {
    row.queue = change.queue;
    row.status = change.status;
    row.reports = change.reports;
  }
}

/// Puts the change into the job it names.
inline void apply_change(job_row& row, const job_change& change) {
  row.queue = change.queue;
  row.priority = change.priority;
  row.attempt = change.attempt;
  row.status = change.status;
  if (change.has_facts)
    row.facts = change.facts;
}

} // namespace depositd
