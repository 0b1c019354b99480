#pragma once

// The queue's work, by what it is about. Private to actors/queue.

#include "actors/queue/queue.hpp"
#include "messages/actor_with.hpp"
#include "messages/processors.hpp"
#include "messages/queue.hpp"

namespace depositd::queue {

using self_pointer = actor_with<queue_state>*;

/// Null if no user has this number.
queue_member* find_member(self_pointer self, member_number number);

/// Whether anything may be handed out now.
bool open(self_pointer self);

/// Whether several processes have as many items as a stage has workers.
bool is_full(self_pointer self);

/// More or fewer items of a user in all.
void change_items(self_pointer self, member_number number, std::int64_t by);

/// Serves waiting requests until nobody who waits can be served.
void serve_waiting(self_pointer self);

// -- watching.cpp: how many users can be served -------------------------------

/// How much there is to visit here, for who draws from several doors.
std::uint32_t eligible_for(self_pointer self, const queue_processor& x);

void tell_count(self_pointer self, queue_processor& x, std::uint32_t count);

/// Whoever draws from several doors asks for numbers now and then; it must not
/// pass by newcomers of whom it has not heard until then. Who only watches
/// waits for nothing else.
void tell_growth(self_pointer self);

// -- processors.cpp: who comes and goes ---------------------------------------

/// Null if there is no such processor.
queue_processor* find_processor(self_pointer self, std::uint32_t number);

caf::result<attached> attach_processor(self_pointer self, const attach& x);

/// Releases what it holds and forgets it.
void remove_processor(self_pointer self, std::uint32_t number);

/// Removes whoever lived at this address; if its node cannot be reached any
/// more, all of that node, before one is handed what the other had.
void processor_down(self_pointer self, const caf::down_msg& x);

void touch(self_pointer self, const renew_claims& x);

/// Those who hold these items learn that they are gone, which is durable.
void tell_holders(self_pointer self, const claims_purged& x);

// -- settling.cpp: what processors say of what they had -----------------------

/// Each user's go to its actor together, in the order that they have.
void settle_outcomes(self_pointer self, queue_processor& processor,
                     std::vector<outcome>& outcomes);

// -- dedup.cpp: equal payloads ------------------------------------------------

/// Items that were never handed out wait to be admitted. Before recovery is
/// over they are kept until all have come.
void take_arrivals(self_pointer self, member_number number,
                   const std::vector<arrival>& arrived);

/// Admits what waited for the end of recovery, oldest first.
void sort_early(self_pointer self);

/// Items were handed out for the first time: their copies collapse.
void take_delivered(self_pointer self, const std::vector<digested>& deliver);

/// Items left without ever being handed out: their shadows take their place.
void take_left(self_pointer self, const std::vector<digested>& left);

/// The user's actor has dealt with this many collapses.
void take_collapsed(self_pointer self, member_number number,
                    std::uint32_t count);

// -- fairness.cpp: what is shared out -----------------------------------------

/// From now on. What was spent under other terms is forgotten.
void use_terms(self_pointer self, const fair_terms& x);

/// Says what the picks were charged under.
void add_terms(self_pointer self, member_number number, hand_over& to);

/// What a user's actor tells of costs goes into the news for the ring, unless
/// they are of earlier terms.
void take_costs(self_pointer self, const counts_changed& x,
                rules::ring::news& to);

/// Gives picks back to the ring that found no item.
void undo_picks(self_pointer self, const picks_declined& x);

// -- reports.cpp: numbers for operators ---------------------------------------

/// On the actors' clock.
std::int64_t now_s(self_pointer self);

queue_report report(self_pointer self);
ring_report report_turns(self_pointer self, const report_ring& x);
members_report report_all_members(self_pointer self);
member_explained explain(self_pointer self, const explain_member& x);
processors_report report_all_processors(self_pointer self);

// -- measuring.cpp: what is counted -------------------------------------------

/// A user comes or goes: nothing of it has been seen yet.
void count_anew(self_pointer self, member_number number, micros oldest_us);
void count_news(self_pointer self, const counts_changed& x);
void count_picks(self_pointer self, const std::vector<pick>& picks);

/// The numbers of now. A step that ends is judged before.
ring_measured measure_all(self_pointer self, const measure_ring& x);

// -- receiving.cpp: what receiving doors do -----------------------------------

caf::result<items_received> take(self_pointer self, const receive_items& x);
caf::result<items_settled> end(self_pointer self, const settle_items& x);
caf::result<done> extend(self_pointer self, const renew_items& x);
caf::result<done> release_all(self_pointer self);
queue_counted count(self_pointer self);
left_measured measure(self_pointer self);

} // namespace depositd::queue
