#include "actors/rules/fold/state.hpp"
#include "messages/values/row_changes.hpp"

namespace depositd::rules {

void slice_fold::state::place_item(item_id id, const std::string& from,
                                   const item_place& x) {
  if (x.queue.empty()) {
    item_finished end;
    end.id = id;
    end.queue = from; // which has no submissions
    if (!from.empty())
      add(end);
    return;
  }
  auto& at = entries[id];
  const auto set = [&](auto& row) {
    row.queue = x.queue;
    row.priority = x.priority;
    row.attempt = x.attempt;
    if (x.parked)
      set_unclaimed(row, item_state::parked, never);
    else
      set_unclaimed(row,
                    x.available_us == never ? item_state::pending
                                            : item_state::delayed,
                    x.available_us);
  };
  set_claim_state(at, id, set);
  if (at.put == none) {
    changes[at.change].has_queue = true;
    changes[at.change].has_priority = true;
  }
}

void slice_fold::state::add(const batch_received& x) {
  auto& row = batch_puts[x.id];
  row = {};
  row.id = x.id;
  row.user = user;
  row.info = x.info;
  row.received_us = x.received_us;
  row.queue = x.queue;
  row.status.state = batch_state::pending;
  row.status.changed_us = x.received_us;
}

void slice_fold::state::add(const batch_moved& x) {
  place_item(x.id, x.queue, x.place);
  batch_change change;
  change.id = x.id;
  change.has_move = true;
  change.queue = x.place.queue;
  change.status = x.status;
  change.reports = x.reports;
  change.jobs = x.jobs;
  if (const auto put = batch_puts.find(x.id); put != batch_puts.end())
    apply_change(put->second, change);
  else
    batch_changes[x.id] = std::move(change);
}

void slice_fold::state::add(const batch_counted& x) {
  if (const auto put = batch_puts.find(x.id); put != batch_puts.end()) {
    put->second.jobs = x.jobs;
    return;
  }
  auto& change = batch_changes[x.id];
  change.id = x.id;
  change.jobs = x.jobs;
}

void slice_fold::state::add(const job_created& x) {
  auto& row = job_puts[x.id];
  row = {};
  row.id = x.id;
  row.batch = x.batch;
  row.user = user;
  row.info = x.info;
  row.created_us = x.created_us;
  row.queue = x.queue;
  row.status = x.status;
  row.facts = x.facts;
  // Its item came before, in the same record.
  if (const auto at = entries.find(x.id);
      at != entries.end() && at->second.put != none)
    row.priority = puts[at->second.put].priority;
}

void slice_fold::state::add(const job_moved& x) {
  place_item(x.id, x.queue, x.place);
  job_change change;
  change.id = x.id;
  change.queue = x.place.queue;
  change.priority = x.place.priority;
  change.attempt = x.place.attempt;
  change.status = x.status;
  change.has_facts = x.has_facts;
  change.facts = x.facts;
  if (const auto put = job_puts.find(x.id); put != job_puts.end()) {
    apply_change(put->second, change);
    return;
  }
  auto& known = job_changes[x.id];
  if (!change.has_facts && known.has_facts) {
    change.has_facts = true;
    change.facts = std::move(known.facts);
  }
  known = std::move(change);
}

void slice_fold::state::add(const batch_forgotten& x) {
  batches_gone.insert(x.id);
  batch_puts.erase(x.id);
  batch_changes.erase(x.id);
  std::erase_if(job_puts,
                [&](const auto& job) { return job.second.batch == x.id; });
}

} // namespace depositd::rules
