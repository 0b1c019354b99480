#pragma once

// The user's work, by what it is about. Private to actors/users.

#include "actors/users/user.hpp"
#include "messages/operators.hpp"

namespace depositd::users {

using self_pointer = user_pointer;

micros now(self_pointer self);

/// Null if the user has nothing to do with the queue.
user_queue* find_queue(self_pointer self, queue_number number);

/// Arms the one timer of the user's actor, unless it comes before the earliest
/// deadline or delay in this queue. A user may have thousands of queues.
void arm_timer(self_pointer self, const user_queue& queue);

/// What a queue cannot see in its user's ledger.
struct report_extras {
  std::vector<ready_change> answered; ///< picks that took an item
  std::uint32_t finished = 0;
  std::uint32_t requeued = 0;
  std::uint32_t timed_out = 0;
  std::int32_t claimed_by_id = 0; ///< claims that no pick led to
  std::uint32_t begins_judged = 0; ///< as in `counts_changed`
  std::uint32_t collapses_done = 0;
  std::vector<ready_change> not_there; ///< counted by the queue, but gone
  std::uint64_t charged = 0;           ///< as in `counts_changed`
  std::uint64_t cost = 0;              ///< likewise
  std::uint32_t failed = 0;            ///< this and the next likewise
  few_times waits;
  few_times durations;
  crowd waited_among = crowd::few;

  /// An item leaves the queue, at `time`, that was claimed `since`.
  void note_end(micros since, micros time, bool has_failed) {
    failed += has_failed ? 1 : 0;
    if (since != never)
      durations.add(time - since);
  }
};

/// Tells the queue what changed. Before the command is committed: whoever gets
/// an answer to it must find the queue as the command left it.
void report(self_pointer self, user_queue& queue, report_extras extras = {});

// -- costs.cpp: of queues that do not share out turns -------------------------

/// What is shared out from now on, and what is known of the user.
void use_fair_terms(self_pointer self, user_queue& queue,
                    const fair_terms& terms, const cost_sum& paid,
                    std::uint32_t weight);

/// Picks come: how much of what was told they reckon with. The queue hears of
/// new terms before its users, to whom the picks may bring them.
void meet_picks(self_pointer self, user_queue& queue, const hand_over& x);

/// One of them has taken an item.
void charge(user_queue& queue, const hand_over& x, const pick& what,
            const rules::handed_item& taken);

/// An item is claimed that nobody picked, though it may have waited long.
void charge_unpicked(user_queue& queue, const item_claimed& x);

// -- accepting.cpp ------------------------------------------------------------

void accept(self_pointer self, const accept_items& x);

// -- named.cpp: claims by item, for those who know no tokens ------------------

void settle_by_name(self_pointer self, const settle_named& x);
void renew_by_name(self_pointer self, const renew_named& x);
/// Of one processor.
void release_of(self_pointer self, const release_claims& x);
caf::result<claims_adopted> adopt(self_pointer self, const adopt_claims& x);

// -- operations.cpp -----------------------------------------------------------

void admit(self_pointer self, const admit_items& x);
caf::result<items_moved> move_out(self_pointer self, const move_items& x);
caf::result<done> park(self_pointer self, const park_items& x);
caf::result<items_cancelled> cancel(self_pointer self, const cancel_items& x);
caf::result<done> cancel_one(self_pointer self, const cancel_deposit& x);
void compact(self_pointer self, const compact_bodies& x);
caf::result<item_found> find(self_pointer self, item_id id);
caf::result<user_report> report_sizes(self_pointer self);
caf::result<retired> leave(self_pointer self);

// -- work.cpp: batches and jobs
// ------------------------------------------------

void use_terms(self_pointer self, const use_work_terms& x);
caf::result<job_ordered> order(self_pointer self, const order_job& x);
caf::result<batch_ordered> order(self_pointer self, const order_batch& x);
void hold_all(self_pointer self, const hold_collection& x);

// -- bulk.cpp: very many items, slice by slice --------------------------------

void purge(self_pointer self, const purge_items& x);
void collapse(self_pointer self, const collapse_items& x);

/// Claims of all processors that are there now.
void release_all(self_pointer self, const release_claims& x);

// -- messages.cpp: in several queues at once ----------------------------------

void accept_all(self_pointer self, const accept_messages& x);
caf::result<items_spread> spread(self_pointer self, const spread_items& x);

// -- unread_bodies.cpp: those that were not where they should be --------------

void read_again(self_pointer self, queue::look_again& items);

} // namespace depositd::users
