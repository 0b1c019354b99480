// Items that come: which of them are taken, and what is written of them.

#include "actors/users/command.hpp"
#include "actors/users/work.hpp"
#include "messages/values/operations.hpp"
#include "messages/values/tallies.hpp"
#include "messages/values/test_points.hpp"
#include "messages/values/trace_book.hpp"
#include "messages/values/trace_context.hpp"

#include <algorithm>
#include <cassert>
#include <chrono>
#include <functional>
#include <utility>
#include <vector>

namespace depositd::users {

namespace {

/// Without those that are barred; ids rise in both.
std::vector<rules::incoming> incoming_of(const accept_items& x,
                                         const std::vector<item_id>& barred) {
  std::vector<rules::incoming> out;
  out.reserve(x.items.size());
  for (const auto& item : x.items)
    if (!std::binary_search(barred.begin(), barred.end(), item.id))
      out.push_back(
        {item.id, item.priority, item.size, item.digest, item.kind, item.body});
  return out;
}

/// The answer names refused items by a zero; ids rise, and so do positions.
void clear_refused(const accept_items& x, const std::vector<item_id>& refused) {
  auto item = x.items.begin();
  for (const auto id : refused) {
    while (item != x.items.end() && item->id != id)
      ++item;
    if (item != x.items.end())
      x.answer->ids[item->position] = 0;
  }
}

/// What becomes of the items for one queue.
struct decision {
  const accept_items& what;
  user_queue* queue; ///< null: it was deleted while they waited
  std::vector<item_id> barred;
  std::vector<item_id> refused; ///< for want of room
  std::vector<item_enqueued> taken;
  bool over_claims = false; ///< of what comes claimed; then none is taken

  bool takes_all() const {
    return queue != nullptr && barred.empty() && refused.empty()
           && !over_claims;
  }
};

decision decide(self_pointer self, const accept_items& x) {
  decision out{x, find_queue(self, x.queue), {}, {}, {}, false};
  if (out.queue == nullptr) {
    assert(!x.beyond_limit && "what was accepted elsewhere keeps its queue");
    return out;
  }
  const auto& ledger = out.queue->ledger;
  if (ledger.claims() >= x.claims_max
      && !seeded_bug("claimed_beyond_the_cap")) {
    out.over_claims = x.answer->over_claims = true;
    return out;
  }
  out.barred = barred_orders(self, x);
  out.taken = ledger.accept(incoming_of(x, out.barred), now(self), &out.refused,
                            x.beyond_limit);
  if (!out.refused.empty() && ledger.room() > out.taken.size())
    x.answer->over_bytes = true;
  return out;
}

/// Whoever took it in works on it: nobody else is handed it, unless that never
/// ends or the engine does.
void claim_at_once(user_command& todo, const accept_items::one& item,
                   micros time) {
  const auto source = find_source(item.deposit->source);
  if (!source.synchronous)
    return;
  const auto until =
    time + std::chrono::duration_cast<std::chrono::microseconds>(at_once_max)
             .count();
  auto claimed =
    todo.queue->ledger.claim(item.id, {source.name, until, true}, time);
  if (!claimed)
    return;
  ++todo.extras.claimed_by_id;
  charge_unpicked(*todo.queue, *claimed);
  todo.happen(std::move(*claimed));
}

/// What metrics tell of it.
void count_refused(const std::string& queue, const char* why,
                   const std::vector<item_id>& refused) {
  if (!refused.empty())
    tally(tally_of::submission_rejected, queue, why, refused.size());
}

void count_refused(const decision& of) {
  if (of.queue == nullptr)
    return;
  count_refused(of.queue->name, to_string(ec::not_allowed), of.barred);
  count_refused(of.queue->name,
                to_string(of.what.answer->over_bytes
                            ? ec::quota_reached
                            : ec::pending_limit_reached),
                of.refused);
}

void answer(user_command& todo, const accept_items& x) {
  todo.deliver(x.share);
  todo.go_with(x.bundle);
  todo.commit();
}

/// Because there is no queue, or no claim left, or because of others that came
/// with them.
void take_none(self_pointer self, const decision& of) {
  const auto& x = of.what;
  for (const auto& item : x.items)
    x.answer->ids[item.position] = 0;
  count_refused(of);
  user_command todo{self, of.queue};
  answer(todo, x);
}

void take(self_pointer self, decision&& of) {
  const auto& x = of.what;
  auto* queue = of.queue;
  auto& accepted = of.taken;
  user_command todo{self, queue};
  std::size_t next = 0;
  for (const auto& item : x.items) {
    if (next == accepted.size() || accepted[next].id != item.id)
      continue; // refused, or swallowed as a duplicate
    if (!self->state.options.budget->take(item.body->size()))
      todo.ask_place(item.id);
    const auto received_us = accepted[next].received_us;
    todo.happen(std::move(accepted[next++]), item.body);
    if (item.deposit && is_trace_book_open())
      note_trace(item.id,
                 trace_of(item.deposit->trace, item.id, received_us).trace);
    if (item.deposit) {
      todo.note(
        submission_received{item.id, queue->name, received_us, *item.deposit});
      claim_at_once(todo, item, received_us);
    }
    if (item.origin)
      todo.take_record(item.id, item.origin);
    if (item.batch) {
      batch_received come{item.id, queue->name, received_us, *item.batch};
      self->state.work.apply(come);
      todo.note(std::move(come));
    }
  }
  crash_point("accept_decided");
  clear_refused(x, of.barred);
  clear_refused(x, of.refused);
  count_refused(of);
  answer(todo, x);
}

} // namespace

void accept(self_pointer self, const accept_items& x) {
  std::vector<decision> all;
  all.push_back(decide(self, x));
  for (const auto& more : x.also)
    all.push_back(decide(self, more));
  const bool fits = !x.whole
                    || std::all_of(all.begin(), all.end(),
                                   std::mem_fn(&decision::takes_all));
  for (auto& one : all)
    if (fits && one.queue != nullptr && !one.over_claims)
      take(self, std::move(one));
    else
      take_none(self, one);
}

} // namespace depositd::users
