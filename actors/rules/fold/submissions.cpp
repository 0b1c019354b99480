#include "actors/rules/fold/state.hpp"

namespace depositd::rules {

namespace {

/// An item that was purged was not processed; one that collapsed into an equal
/// one was, as that one.
bool counts_as_failed(ending how) {
  return how == ending::failed || how == ending::purged;
}

/// `submission_row` and `submission_change` name these alike.
template <class Row, class Event>
void set_finished(Row& row, const Event& x) {
  row.failed = counts_as_failed(x.how);
  row.finished_us = x.finished_us;
  row.reason = x.reason;
  row.batch_id = x.batch_id;
  row.document = x.document;
}

template <class Row>
void set_started(Row& row, const item_claimed& x) {
  row.started_us = x.claimed_us;
  row.attempt = x.attempt;
  row.processor = x.processor;
}

} // namespace

void slice_fold::state::add(const submission_received& x) {
  auto& at = entries[x.id];
  if (at.submission_put == none)
    at.submission_put = submission_puts.add();
  auto& row = submission_puts[at.submission_put];
  row = {};
  row.id = x.id;
  row.user = user;
  row.queue = x.queue;
  row.submission = x.submission;
  row.received_us = x.received_us;
  if (at.put != none) // its item came right before it
    row.digest = puts[at.put].digest;
}

void slice_fold::state::add(const submission_recorded& x) {
  document_bytes += x.document.size();
  const auto at = submission_puts.add();
  asked.finished.push_back(at);
  auto& row = submission_puts[at];
  row = {};
  row.id = x.id;
  row.user = user;
  row.queue = x.queue;
  row.submission = x.submission;
  row.status = submission_status::completed;
  row.failed = x.failed;
  row.batch_id = x.batch_id;
  row.document = x.document;
  row.received_us = x.received_us;
  row.finished_us = x.finished_us;
}

bool slice_fold::state::is_over(const entry& at,
                                const std::string& queue) const {
  if (at.submission_put != none)
    return submission_puts[at.submission_put].queue != queue;
  return at.change != none && changes[at.change].has_queue
         && bare_queues.contains(queue);
}

submission_change*
slice_fold::state::submission_change_of(entry& at, item_id id,
                                        const std::string& queue) {
  if (at.submission_change == none) {
    // An item of this slice that has no submission by now never gets one.
    if (at.put != none || (!bare_queues.empty() && bare_queues.contains(queue)))
      return nullptr;
    at.submission_change = submission_changes.add();
    auto& out = submission_changes[at.submission_change];
    out = {};
    out.id = id;
  }
  return &submission_changes[at.submission_change];
}

void slice_fold::state::submission_started(entry& at, const item_claimed& x) {
  if (is_over(at, x.queue))
    return;
  if (at.submission_put != none) {
    auto& row = submission_puts[at.submission_put];
    row.status = submission_status::in_process;
    set_started(row, x);
  } else if (auto* row = submission_change_of(at, x.id, x.queue)) {
    set_started(*row, x);
    row->has_started = true;
    row->has_returned = false;
  }
}

void slice_fold::state::submission_returned(entry& at, const item_released& x) {
  if (is_over(at, x.queue))
    return;
  if (at.submission_put != none) {
    auto& row = submission_puts[at.submission_put];
    row.status = submission_status::queued;
    row.attempt = x.attempt;
  } else if (auto* row = submission_change_of(at, x.id, x.queue)) {
    row->attempt = x.attempt;
    row->has_returned = true;
  }
}

void slice_fold::state::submission_parked(entry& at, const item_parked& x) {
  if (is_over(at, x.queue))
    return;
  if (at.submission_put != none) {
    submission_puts[at.submission_put].parked = x.parked;
  } else if (auto* row = submission_change_of(at, x.id, x.queue)) {
    row->parked = x.parked;
    row->has_parked = true;
  }
}

template <class Event>
void slice_fold::state::submission_finished(entry& at, const Event& x) {
  if (is_over(at, x.queue))
    return;
  document_bytes += x.document.size();
  if (at.submission_put != none) {
    auto& row = submission_puts[at.submission_put];
    row.status = submission_status::completed;
    set_finished(row, x);
    asked.finished.push_back(at.submission_put);
  } else if (auto* row = submission_change_of(at, x.id, x.queue)) {
    set_finished(*row, x);
    asked.changed.push_back(at.submission_change);
    row->has_finished = true;
  }
}

template void slice_fold::state::submission_finished(entry&,
                                                     const item_finished&);

void slice_fold::state::add(const submission_ended& x) {
  submission_finished(entries[x.id], x);
}

} // namespace depositd::rules
