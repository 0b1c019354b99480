#include "actors/users/user.hpp"

#include "actors/rules/ledger/retry.hpp"
#include "actors/users/command.hpp"
#include "actors/users/work.hpp"
#include "messages/values/tallies.hpp"
#include "messages/values/test_points.hpp"

#include <algorithm>

namespace depositd::users {

micros now(self_pointer self) {
  return self->state.options.clock.at(self->clock().now());
}

user_queue* find_queue(self_pointer self, queue_number number) {
  const auto at = self->state.queues.find(number);
  return at == self->state.queues.end() ? nullptr : &at->second;
}

namespace {

void due(self_pointer self, const user_due& x);

/// What is due already is more than is done at once: others come in between,
/// and no more is decided than the disk keeps up with.
void go_on_when_durable(self_pointer self, micros at_us) {
  self->request(user_self{self}, caf::infinite, journal::pass_journal{})
    .then([=](const done&) { due(self, user_due{at_us}); },
          [](const caf::error&) { /* the shard starts over */ });
}

} // namespace

void arm_timer(self_pointer self, const user_queue& queue) {
  auto& state = self->state;
  const auto due = queue.ledger.next_due();
  if (due == never || (state.timer_us != never && state.timer_us <= due))
    return;
  state.timer_us = due;
  const auto wait = due - now(self);
  if (wait > 0)
    self->delayed_send(self, std::chrono::microseconds{wait}, user_due{due});
  else
    go_on_when_durable(self, due);
}

void report(self_pointer self, user_queue& queue, report_extras extras) {
  auto changes = queue.ledger.take_changes();
  changes.claims_ended -= extras.claimed_by_id;
  const auto size = queue.ledger.size();
  counts_changed news;
  news.member = queue.member;
  news.classes_version = queue.classes_version;
  news.answered = std::move(extras.answered);
  news.collapses_done = extras.collapses_done;
  news.claims_ended = changes.claims_ended;
  news.finished = extras.finished;
  news.requeued = extras.requeued;
  news.timed_out = extras.timed_out;
  news.items = static_cast<std::int64_t>(size - queue.items_reported);
  const auto parked = queue.ledger.parked();
  news.parked = static_cast<std::int64_t>(parked - queue.parked_reported);
  news.charged = extras.charged;
  news.cost = extras.cost;
  news.fair_since = queue.costs ? queue.costs->terms().since : 0;
  if (queue.costs && queue.costs->terms().by == fair_by::bytes)
    news.bytes_each = queue.ledger.bytes()
                      / std::max<std::uint64_t>(queue.ledger.pending(), 1);
  news.begins_judged = extras.begins_judged;
  news.oldest_us = queue.ledger.oldest_ready();
  news.failed = extras.failed;
  news.waits = extras.waits;
  news.durations = extras.durations;
  news.waited_among = extras.waited_among;
  for (const auto& x : extras.not_there)
    changes.ready.push_back({x.band, x.cls, -x.delta});
  queue.items_reported = size;
  queue.parked_reported = parked;
  if (!changes.empty() || !news.answered.empty() || news.finished > 0
      || news.items != 0 || news.parked != 0 || news.collapses_done > 0
      || news.cost > 0 || news.charged > 0 || news.begins_judged > 0) {
    news.ready = std::move(changes.ready);
    news.arrived = std::move(changes.arrived);
    news.deliver = std::move(changes.deliver);
    news.left = std::move(changes.left);
    self->send(queue.actor, std::move(news));
  }
  arm_timer(self, queue);
}

namespace {

/// Bodies beyond the budget are in memory only until they have a place.
void take_places(self_pointer self, const body_locations& x) {
  auto& state = self->state;
  for (const auto& [id, place] : x.found) {
    const auto awaited = state.unbudgeted.find(id);
    const bool drops = awaited != state.unbudgeted.end();
    if (drops && --awaited->second > 0)
      continue; // of a body that has been replaced since
    if (drops)
      state.unbudgeted.erase(awaited);
    // By now an item may have been moved to another of the queues.
    for (auto& [number, queue] : state.queues)
      if (queue.ledger.set_place(id, place) && drops)
        queue.ledger.drop_body(id);
  }
}

// -- handing out and settling -------------------------------------------------

void count_answered(std::vector<ready_change>& answered, const pick& what) {
  if (answered.empty() || answered.back().band != what.band
      || answered.back().cls != what.class_max)
    answered.push_back({what.band, what.class_max, 0});
  ++answered.back().delta;
}

/// What was chosen, on its way to the processor or the receiver.
hand_out outgoing(const hand_over& x, std::size_t at,
                  rules::handed_item& chosen) {
  hand_out out{x.who.to,
               std::move(chosen.item),
               std::move(chosen.body),
               chosen.place,
               nullptr,
               0};
  if (x.who.receiver) {
    out.receiver = x.who.receiver;
    out.slot = x.slots[at];
  }
  return out;
}

/// The queue was deleted after it had picked, and it was empty before: nothing
/// can be lost. Its processors see it go; a receiver waits for an answer.
void decline_all(user_command& todo, const hand_over& x) {
  if (x.who.receiver)
    todo.deliver(receive_missed{x.who.receiver,
                                static_cast<std::uint32_t>(x.picks.size())});
  todo.commit();
}

void hand_over_items(self_pointer self, const hand_over& x) {
  user_command todo{self, x.queue};
  auto* queue = todo.queue;
  if (queue == nullptr)
    return decline_all(todo, x);
  const auto time = now(self);
  rules::taker_limits limits{x.who.name, never, x.who.local};
  if (x.who.lease_ms > 0)
    limits.deadline_us = time + micros{x.who.lease_ms} * 1000;
  picks_declined declined{{}, x.who.processor, x.fair.since};
  meet_picks(self, *queue, x);
  todo.extras.waited_among = crowd_of(queue->ledger.size());
  for (std::size_t i = 0; i < x.picks.size(); ++i) {
    const auto& what = x.picks[i];
    const bool room = queue->ledger.claims() < x.claims_max;
    auto chosen = room ? queue->ledger.choose(what, limits, time)
                       : std::nullopt;
    if (!chosen) {
      declined.picks.push_back(what);
      continue;
    }
    count_answered(todo.extras.answered, what);
    chosen->item.member = queue->member;
    chosen->item.user = self->state.options.user;
    charge(*queue, x, what, *chosen);
    if (chosen->claim.attempt == 1)
      todo.extras.waits.add(time - chosen->item.received_us);
    todo.happen(std::move(chosen->claim));
    todo.deliver(outgoing(x, i, *chosen));
  }
  if (x.who.receiver && !declined.picks.empty())
    todo.deliver(receive_missed{
      x.who.receiver, static_cast<std::uint32_t>(declined.picks.size())});
  crash_point("hand_out_decided");
  todo.commit();
  if (!declined.picks.empty())
    self->send(queue->actor, std::move(declined));
}

std::function<void(user_command&, bool)>
notice_to(const caf::strong_actor_ptr& who, item_id id) {
  if (!who)
    return nullptr;
  return [=](user_command& todo, bool accepted) {
    todo.deliver(settlement_notice{who, id, accepted});
  };
}

void settle_claims(self_pointer self, const settle& x) {
  user_command todo{self, x.queue};
  if (todo.queue == nullptr)
    return;
  const auto time = now(self);
  const auto stages = todo.queue->settings.kind == queue_kind::stage;
  for (const auto& what : x.outcomes) {
    if (stages && what.says != verdict::release) {
      end_stage(self, {x.queue, what, notice_to(x.to, what.id)});
      continue;
    }
    auto ended = todo.queue->ledger.settle(what, time);
    if (x.to)
      todo.deliver(settlement_notice{x.to, what.id, static_cast<bool>(ended)});
    if (!ended) {
      tally(tally_of::result_stale, todo.queue->name);
      continue;
    }
    if (what.says == verdict::retry)
      ++todo.extras.requeued;
    end_claim(todo, self, std::move(*ended), what.tell);
  }
  crash_point("settle_decided");
  todo.commit();
}

void extend(self_pointer self, const renew& x) {
  user_command todo{self, x.queue};
  if (todo.queue == nullptr)
    return;
  const auto deadline = now(self) + micros{x.lease_ms} * 1000;
  for (const auto& claim : x.claims)
    if (auto extended =
          todo.queue->ledger.extend(claim.id, claim.token, deadline))
      todo.happen(std::move(*extended));
  todo.commit();
}

void due(self_pointer self, const user_due& x) {
  if (x.at_us != self->state.timer_us)
    return;
  self->state.timer_us = never;
  const auto time = now(self);
  std::size_t room = self->state.options.slice_items;
  for (auto& [number, queue] : self->state.queues) {
    room -= queue.ledger.wake(time, room);
    user_command todo{self, &queue};
    auto lost = queue.ledger.expire(time, room);
    room -= lost.size();
    for (auto& x : without_exhausted(self, number, std::move(lost))) {
      ++todo.extras.timed_out;
      end_claim(todo, self, std::move(x), true);
    }
    todo.commit(); // which looks when something is due next
  }
}

void wake(self_pointer self, const wake_items& x) {
  auto* queue = find_queue(self, x.queue);
  if (queue == nullptr)
    return;
  for (const auto id : x.ids)
    if (queue->ledger.token_of(id) != 0)
      self->state.woken.insert(id);
  queue->ledger.wake(x.ids);
  report(self, *queue);
}

// -- queues -------------------------------------------------------------------

/// Tokens are above those of every earlier owner of the shard, and of every
/// earlier start over of this one: a claim that was lost with a failed append
/// may still be held by somebody. There is room for a thousand million tokens
/// per start over, of which each takes a second and two generations, for 16384
/// generations, and for a million owners.
claim_token tokens_from(const user_options& options) {
  constexpr claim_token generations = 0x3fff;
  return (options.epoch << 44)
         | ((claim_token{options.journal.generation} & generations) << 30);
}

void serve(self_pointer self, const serve_queue& x) {
  auto& state = self->state;
  auto [at, fresh] = state.queues.try_emplace(x.queue);
  auto& queue = at->second;
  if (fresh && state.unclaimed) {
    auto& ledgers = state.unclaimed->ledgers;
    const auto found = ledgers.find(x.name);
    if (found != ledgers.end()) {
      queue.ledger = std::move(found->second);
      ledgers.erase(found);
    }
  }
  queue.name = x.name;
  queue.actor = caf::actor_cast<queue_actor>(x.actor);
  queue.settings = x.settings;
  queue.classes = x.classes;
  queue.member = x.member;
  queue.classes_version = x.classes_version;
  queue.ledger.configure(x.name, x.settings, x.classes);
  queue.ledger.limit_bytes(x.bytes_max);
  queue.ledger.raise_tokens(tokens_from(state.options));
  queue.ledger.take_changes(); // the shard has introduced these counts
  queue.items_reported = queue.ledger.size();
  queue.parked_reported = queue.ledger.parked();
  use_fair_terms(self, queue, x.fair, x.paid, x.weight);
  if (fresh && x.settings.kind == queue_kind::stage) {
    queue.ledger.wake_later_than(
      rules::woken_at_start_after(x.settings, now(self)));
    report(self, queue);
  }
  arm_timer(self, queue);
}

/// The size classes changed: totals of every class, under the new numbers.
void count_again(self_pointer self, const reclassify& x) {
  auto* queue = find_queue(self, x.queue);
  if (queue == nullptr)
    return;
  report(self, *queue); // under the old numbers
  queue->classes = x.classes;
  queue->ledger.configure(queue->name, queue->settings, x.classes);
  queue->classes_version = x.classes_version;
  queue->ledger.take_changes();
  counts_changed totals;
  totals.member = queue->member;
  totals.classes_version = x.classes_version;
  totals.all = true;
  totals.ready = queue->ledger.ready_counts();
  totals.oldest_us = queue->ledger.oldest_ready();
  self->send(queue->actor, std::move(totals));
}

} // namespace

user_self::behavior_type user(actor_with<user_state>* self,
                              user_options options,
                              recovered_ledgers recovered) {
  self->state.options = std::move(options);
  self->state.unclaimed = std::move(recovered);
  if (self->state.unclaimed) {
    self->state.work = std::move(self->state.unclaimed->work);
    self->state.origins = std::move(self->state.unclaimed->origins);
  }
  // CAF tries them one after the other: what comes with each item is first.
  return {
    [=](const accept_items& x) { accept(self, x); },
    [=](const hand_over& x) { hand_over_items(self, x); },
    [=](const settle& x) { settle_claims(self, x); },
    [=](const serve_queue& x) { serve(self, x); },
    [=](const leave_queue& x) {
      if (const auto* queue = find_queue(self, x.queue);
          queue != nullptr && queue->ledger.idle())
        self->state.queues.erase(x.queue);
    },
    [=](const change_settings& x) {
      if (auto* queue = find_queue(self, x.queue)) {
        queue->settings = x.settings;
        queue->ledger.configure(queue->name, x.settings, queue->classes);
        queue->ledger.limit_bytes(x.bytes_max);
        use_fair_terms(self, *queue, x.fair, {}, x.weight);
      }
    },
    [=](const accept_messages& x) { accept_all(self, x); },
    [=](const spread_items& x) { return spread(self, x); },
    [=](const renew& x) { extend(self, x); },
    [=](const adopt_claims& x) { return adopt(self, x); },
    [=](const release_claims& x) {
      if (x.processor.empty())
        release_all(self, x);
      else
        release_of(self, x);
    },
    [=](const settle_named& x) { settle_by_name(self, x); },
    [=](const renew_named& x) { renew_by_name(self, x); },
    [=](const reclassify& x) { count_again(self, x); },
    [=](const admit_items& x) { admit(self, x); },
    [=](const collapse_items& x) { collapse(self, x); },
    [=](const body_locations& x) { take_places(self, x); },
    [=](const park_items& x) { return park(self, x); },
    [=](const cancel_items& x) { return cancel(self, x); },
    [=](const cancel_deposit& x) { return cancel_one(self, x); },
    [=](const purge_items& x) { purge(self, x); },
    [=](const compact_bodies& x) { compact(self, x); },
    [=](const move_items& x) { return move_out(self, x); },
    [=](const use_work_terms& x) { use_terms(self, x); },
    [=](const order_job& x) { return order(self, x); },
    [=](const order_batch& x) { return order(self, x); },
    [=](const hold_collection& x) { hold_all(self, x); },
    [=](const wake_items& x) { wake(self, x); },
    [=](const find_item& x) { return find(self, x.id); },
    [=](report_user) { return report_sizes(self); },
    [=](retire) { return leave(self); },
    [=](const user_due& x) { due(self, x); },
    [=](queue::look_again& x) { read_again(self, x); },
    [=](journal::pass_journal) {
      return journal::command{self->state.options.journal}.commit_and_answer(
        self, done{});
    },
  };
}

} // namespace depositd::users
