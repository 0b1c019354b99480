#include "actors/rules/fold/state.hpp"

namespace depositd::rules {

namespace {

template <class Row>
void set_claimed(Row& row, const item_claimed& x) {
  row.state = item_state::claimed;
  row.attempt = x.attempt;
  row.available_us = never;
  row.token = x.token;
  row.deadline_us = x.deadline_us;
  row.local = x.local;
  row.processor = x.processor;
}

} // namespace

item_change& slice_fold::state::change_of(entry& at, item_id id) {
  if (at.change == none) {
    at.change = changes.add();
    auto& out = changes[at.change];
    out = {};
    out.id = id;
  }
  return changes[at.change];
}

template <class Event>
item_row& slice_fold::state::add_row(const Event& x) {
  auto& at = entries[x.id];
  if (at.put == none)
    at.put = puts.add();
  auto& row = puts[at.put];
  row.id = x.id;
  row.queue = x.queue;
  row.user = user;
  row.priority = x.priority;
  row.size = x.size;
  row.received_us = x.received_us;
  row.digest = 0;
  row.kind = x.kind;
  row.place = x.place;
  row.attempt = 0;
  set_unclaimed(row, item_state::pending, never);
  return row;
}

void slice_fold::state::add(const item_enqueued& x) {
  add_row(x).digest = x.digest;
}

void slice_fold::state::add(const item_copied& x) {
  add_row(x);
}

void slice_fold::state::add(const item_claimed& x) {
  add_ring(x);
  auto& at = entries[x.id];
  set_claim_state(at, x.id, [&](auto& row) { set_claimed(row, x); });
  submission_started(at, x);
}

void slice_fold::state::add(const claim_renewed& x) {
  auto& at = entries[x.id];
  if (at.put != none) {
    puts[at.put].deadline_us = x.deadline_us;
    return;
  }
  auto& row = change_of(at, x.id);
  row.deadline_us = x.deadline_us;
  row.has_deadline = !row.has_claim_state;
}

void slice_fold::state::add(const item_released& x) {
  auto& at = entries[x.id];
  set_claim_state(at, x.id, [&](auto& row) {
    row.attempt = x.attempt;
    set_unclaimed(
      row, x.available_us == never ? item_state::pending : item_state::delayed,
      x.available_us);
  });
  submission_returned(at, x);
}

void slice_fold::state::add(const item_finished& x) {
  const auto found = entries.find(x.id);
  auto at = found != entries.end() ? found->second : entry{};
  submission_finished(at, x);
  if (at.put != none)
    puts.remove(at.put);
  else
    gone.push_back(x.id);
  if (at.change != none)
    changes.remove(at.change);
  // Nothing follows on the end of an item.
  if (found != entries.end())
    entries.erase(found);
}

void slice_fold::state::add(const item_parked& x) {
  const auto state = x.parked ? item_state::parked : item_state::pending;
  auto& at = entries[x.id];
  if (at.put != none) {
    set_unclaimed(puts[at.put], state, never);
  } else {
    auto& row = change_of(at, x.id);
    row.state = state;
    if (row.has_claim_state)
      set_unclaimed(row, state, never);
    else
      row.has_parked_state = true;
  }
  submission_parked(at, x);
}

void slice_fold::state::add(const item_moved& x) {
  auto& at = entries[x.id];
  set_claim_state(at, x.id, [&](auto& row) {
    row.queue = x.to;
    row.attempt = 0;
    set_unclaimed(row, item_state::pending, never);
  });
  if (at.put == none)
    changes[at.change].has_queue = true;
}

void slice_fold::state::add(const item_delayed& x) {
  set_claim_state(entries[x.id], x.id, [&](auto& row) {
    set_unclaimed(row, item_state::delayed, x.available_us);
  });
}

void slice_fold::state::add(const body_compacted& x) {
  auto& at = entries[x.id];
  if (at.put != none)
    puts[at.put].place = x.place;
  else
    change_of(at, x.id).place = x.place;
}

} // namespace depositd::rules
