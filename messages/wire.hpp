#pragma once

// How the messages of local.hpp cross to another engine or node that speaks for
// this one: shards that have moved, processors elsewhere. Inside a process they
// are never serialized.

#include "messages/local.hpp"
#include "messages/polling.hpp"
#include "messages/values/codec.hpp"
#include "messages/values/control.hpp"

#include <caf/meta/load_callback.hpp>

#include <memory>
#include <string>
#include <vector>

namespace depositd {

// -- events and control -------------------------------------------------------

/// In the journal's own encoding.
template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, propose& x) {
  std::vector<std::string> events;
  if constexpr (Inspector::reads_state)
    for (const auto& change : x.changes)
      encode(change, events.emplace_back());
  auto load = [&]() -> caf::error {
    x.changes.clear();
    for (const auto& bytes : events) {
      auto change = decode_event(bytes);
      if (!change)
        return std::move(change.error());
      x.changes.push_back(std::move(*change));
    }
    return caf::none;
  };
  return f(events, caf::meta::load_callback(load));
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, user_eligibility& x) {
  return f(x.held, x.prohibited);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, control_state& x) {
  return f(x.queues, x.limits, x.eligibilities, x.accounts, x.processors,
           x.keys, x.moves, x.server, x.configured);
}

/// A snapshot with its revision.
template <class Inspector>
typename Inspector::result_type
inspect_snapshot(Inspector& f, control_snapshot& x, std::uint64_t& revision) {
  control_state state;
  if constexpr (Inspector::reads_state)
    if (x)
      state = *x;
  auto load = [&]() -> caf::error {
    x = std::make_shared<const control_state>(std::move(state));
    return caf::none;
  };
  return f(state, revision, caf::meta::load_callback(load));
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, control_changed& x) {
  return inspect_snapshot(f, x.state, x.revision);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, adopt_control& x) {
  return inspect_snapshot(f, x.state, x.revision);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, watch_control& x) {
  return f(x.who);
}

// -- doors --------------------------------------------------------------------

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, submit& x) {
  return f(x.queue, x.user, x.priority, x.submission);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, record_submission& x) {
  return f(x.what, x.user);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, open_ports& x) {
  return f(x.name);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, reserve_id& x) {
  return f(x.user);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, id_reserved& x) {
  return f(x.id);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, count_pending& x) {
  return f(x.queue, x.user);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, pending_counted& x) {
  return f(x.pending, x.limit);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, item_name& x) {
  return f(x.id, x.user);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, receive_items& x) {
  return f(x.queue, x.taker, x.count, x.lease_ms, x.claims_max);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, received_item& x) {
  auto there = x.body != nullptr;
  std::string bytes;
  if constexpr (Inspector::reads_state)
    if (x.body)
      bytes = *x.body;
  auto load = [&]() -> caf::error {
    x.body = there ? std::make_shared<const std::string>(std::move(bytes))
                   : nullptr;
    return caf::none;
  };
  return f(x.name, x.attempt, x.kind, x.received_us, x.user, there, bytes,
           caf::meta::load_callback(load));
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, items_received& x) {
  return f(x.items);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, settle_items::one& x) {
  return f(x.name, x.says, x.delay_ms, x.reason, x.batch_id, x.document);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, settle_items& x) {
  return f(x.queue, x.items);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, items_settled& x) {
  return f(x.accepted);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, renew_items& x) {
  return f(x.queue, x.taker, x.lease_ms, x.items);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, release_queue& x) {
  return f(x.queue);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, count_queue& x) {
  return f(x.queue);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, queue_counted& x) {
  return f(x.items, x.claims);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, move_queue& x) {
  return f(x.from, x.to);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, move_begun& x) {
  return f(x.reference);
}

// -- operators ----------------------------------------------------------------

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, park_matching& x) {
  return f(x.queue, x.users, x.from_us, x.to_us, x.parked, x.count_only);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, matching_parked& x) {
  return f(x.count);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, purge_queue& x) {
  return f(x.queue);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, explain_item& x) {
  return f(x.id, x.user);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, item_view& x) {
  return f(x.id, x.state, x.priority, x.attempt, x.size, x.received_us,
           x.available_us, x.deadline_us, x.token, x.processor, x.ahead);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, member_limits& x) {
  return f(x.allocation, x.concurrency, x.held, x.prohibited);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, eligibility_report& x) {
  return f(x.state, x.turn, x.length, x.in_flight, x.ready, x.turns_taken,
           x.credit, x.stamp, x.limits);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, item_explained& x) {
  // Field by field: CAF skips one whose type is an unsafe message.
  return f(x.live, x.queue, x.user, x.item, x.member.report,
           x.member.suspended, x.member.server_suspended, x.member.processors,
           x.member.processors_matching);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, list_queues&) {
  return f();
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, queue_report& x) {
  return f(x.name, x.settings, x.server_suspended, x.ready, x.in_flight,
           x.users, x.eligible_users, x.processors, x.handed_out, x.finished);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, queues_listed& x) {
  return f(x.queues, x.suspended);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, list_users& x) {
  return f(x.queue);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f,
                                        members_report::entry& x) {
  return f(x.user, x.report);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, members_report& x) {
  return f(x.queue, x.entries);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, users_listed& x) {
  return f(x.queues);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, await_ready&) {
  return f();
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, check_intake&) {
  return f();
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, drain& x) {
  return f(x.within_ms);
}

// -- the read model -----------------------------------------------------------

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, item_row& x) {
  return f(x.id, x.queue, x.user, x.priority, x.size, x.received_us, x.digest,
           x.kind, x.place, x.state, x.attempt, x.available_us, x.token,
           x.deadline_us, x.local, x.processor);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, submission_row& x) {
  return f(x.id, x.user, x.queue, x.submission, x.status, x.failed, x.parked,
           x.batch_id, x.processor, x.reason, x.document, x.received_us,
           x.started_us, x.finished_us, x.attempt);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, submissions_found& x) {
  return f(x.rows, x.more);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, peek_items& x) {
  return f(x.queue, x.count_max, x.pending_only, x.with_bodies);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, items_found& x) {
  return f(x.rows, x.bodies);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, report_store&) {
  return f();
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, store_report& x) {
  return f(x.journalled, x.projected, x.journal_bytes, x.segments);
}

// -- processors elsewhere -----------------------------------------------------

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, report_slots&) {
  return f();
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, slots_report::entry& x) {
  return f(x.node, x.processor, x.slot, x.queue, x.item, x.user, x.since_us,
           x.wants);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, slots_report& x) {
  return f(x.entries);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, effect_call& x) {
  return f(x.what, x.arguments);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, effect_result& x) {
  return f(x.bytes);
}

} // namespace depositd
