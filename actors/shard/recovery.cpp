#include "actors/journal/reply.hpp"
#include "actors/rules/control/configuring.hpp"
#include "actors/rules/control/control.hpp"
#include "actors/rules/control/pipelines.hpp"
#include "actors/rules/control/telling.hpp"
#include "actors/rules/work/decide.hpp"
#include "actors/shard/feeding/feeding.hpp"
#include "actors/shard/parts.hpp"
#include "actors/shard/topics/topics.hpp"
#include "messages/cluster.hpp"
#include "messages/values/operations.hpp"
#include "messages/values/tallies.hpp"
#include "messages/values/test_points.hpp"
#include "messages/values/work_numbers.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>

namespace depositd::shard {

namespace {

/// A job's stage is begun again; how often that may be is its own affair. False
/// if the item is no job.
bool release_job(shard_pointer self, journal::command& todo, rules::work& work,
                 rules::ledger& ledger, const event& lost) {
  const auto* x = std::get_if<item_released>(&lost);
  const auto* job = x == nullptr ? nullptr : work.job(x->id);
  const auto item = job == nullptr ? std::nullopt : ledger.glance(x->id);
  if (!item)
    return false;
  const auto stage = rules::find_stage(*self->state.control, x->queue);
  auto move = rules::after_death(stage.of,
                                 {.id = x->id,
                                  .batch = job->batch,
                                  .queue = x->queue,
                                  .priority = item->priority,
                                  .attempt = x->attempt,
                                  .status = work.status_of(*job)},
                                 now(self));
  const auto place = move.place;
  for (auto& e : work.with_counts(std::move(move))) {
    work.apply(e);
    todo.note(std::move(e));
  }
  rules::ledger::place(x->id, place, ledger, &ledger);
  return true;
}

/// A deposit that has killed as many engines as it may goes on to the outbox,
/// as it does with its users' actors. False if it does not.
bool hand_on(shard_pointer self, journal::command& todo,
             std::map<std::string, rules::ledger>& ledgers,
             const std::string& user, const event& lost) {
  const auto* x = std::get_if<item_finished>(&lost);
  const auto& queues = self->state.control->queues;
  if (x == nullptr || queues.at(x->queue).kind != queue_kind::deposit
      || !rules::may_be_told(*self->state.control, user)
      || seeded_bug("untold_at_recovery"))
    return false;
  auto [to, fresh] = ledgers.try_emplace(notify_queue);
  if (fresh)
    to->second.configure(notify_queue, queues.at(notify_queue), size_classes{});
  if (to->second.room() == 0)
    return false;
  const item_moved moved{x->id, x->queue, notify_queue, x->finished_us};
  rules::ledger::apply(moved, ledgers.at(x->queue), to->second);
  todo.note(moved);
  todo.note(rules::deposit_end(*x));
  return true;
}

/// So does a notification that has: it is set aside. False if it is none.
bool set_aside(shard_pointer self, journal::command& todo,
               rules::ledger& ledger, const event& lost) {
  const auto* x = std::get_if<item_finished>(&lost);
  const auto& queues = self->state.control->queues;
  if (x == nullptr || queues.at(x->queue).kind != queue_kind::outbox
      || seeded_bug("notification_let_go"))
    return false;
  auto kept = rules::keep_aside(*x, ledger);
  if (!kept)
    return false;
  for (event each :
       {event{std::move(kept->back)}, event{std::move(kept->aside)}}) {
    ledger.apply(each);
    todo.note(std::move(each));
  }
  return true;
}

/// Claims of processors that died with the last engine end here: as events, so
/// that the attempts they cost stay counted.
void release_local(shard_pointer self, recovered_state& found) {
  if (seeded_bug("claims_kept_at_recovery"))
    return;
  for (auto& [user, ledgers] : found.ledgers) {
    journal::command todo{self->state.journal, user};
    auto& work = found.work[user];
    for (auto& [queue, ledger] : ledgers)
      for (auto& x : ledger.release_local_claims(now(self))) {
        if (release_job(self, todo, work, ledger, x)
            || hand_on(self, todo, ledgers, user, x)
            || set_aside(self, todo, ledger, x))
          continue;
        note_record_end(todo, found, user, x);
        ledger.apply(x);
        todo.note(std::move(x));
      }
    todo.commit(self);
  }
}

std::uint64_t stamp_last(const recovered_state& found,
                         const std::string& queue) {
  std::uint64_t out = 0;
  for (auto at = found.rings.lower_bound({queue, ""});
       at != found.rings.end() && at->first.first == queue; ++at)
    out = std::max(out, at->second.stamp);
  return out;
}

/// Where the ring of a queue stood that is fair by cost.
std::uint64_t cost_floor(const recovered_state& found, const std::string& queue,
                         const fair_terms& terms) {
  std::uint64_t out = 0;
  if (terms.by == fair_by::turns)
    return out;
  for (auto at = found.rings.lower_bound({queue, ""});
       at != found.rings.end() && at->first.first == queue; ++at)
    if (at->second.since == terms.since)
      out = std::max(out, at->second.paid.floor);
  return out;
}

/// What metrics tell of the shard from now on.
void note_recovered(shard_pointer self, const recovered_state& found) {
  const auto number = self->state.options.number;
  uncount_batches(number);
  for (const auto& [user, work] : found.work)
    for (const auto& [id, batch] : work.batches())
      restore_batch(id, batch.status.state);
  const auto replayed = found.journalled > found.projected
                          ? found.journalled - found.projected
                          : 0;
  note_value(tally_of::replayed, std::to_string(number), {},
             static_cast<double>(replayed));
}

void note_recovery_time(shard_pointer self, const recovered_state& found) {
  const std::chrono::duration<double, std::micro> took =
    self->clock().now() - found.asked_at;
  note_value(tally_of::recovery_us,
             std::to_string(self->state.options.number), {}, took.count());
}

void begin_serving(shard_pointer self, recovered_state& found,
                   const std::optional<control_changed>& newest) {
  auto& state = self->state;
  begin_control(self, std::move(found.control), newest);
  // Numbers may have effects (recorded DOIs) that the journal does not know:
  // the projector has asked the registry for the highest.
  state.id_last =
    std::max({state.id_last, found.id_max, ids_begin(state.options.number)});
  state.rings = found.rings;
  state.watermarks = found.watermarks;
  state.ingested = rules::recent_ids{ingest_ids_kept_us, ingest_ids_max};
  for (const auto& x : found.ingested)
    state.ingested.see(x.user, x.file_name, x.size, x.digest,
                       x.received_us);
  for (const auto& [name, settings] : state.control->queues)
    spawn_queue(self, name);
  release_local(self, found);
  note_recovered(self, found);
  restore_records(self, found);
  for (auto& [user, ledgers] : found.ledgers)
    restore_user(self, user,
                 {std::move(ledgers), std::move(found.work[user]),
                  std::move(found.records.origins[user])});
  for (const auto& queue : state.queues)
    self->send(queue.actor, begin{stamp_last(found, queue.name),
                                  cost_floor(found, queue.name,
                                             fair_terms_of(self, queue.name))});
  crash_point("recovery_released");
  state.now = shard_state::phase::serving;
  if (state.options.number == 0) { // the others hear of it from there
    warn_of_fixed(*state.control, state.options.configuration);
    warn_of_taken(*state.control, state.options.pipelines);
    auto changes = rules::configuration_changes(*state.control,
                                                state.options.configuration);
    for (auto& x :
         rules::pipeline_changes(*state.control, state.options.pipelines))
      changes.push_back(std::move(x));
    for (auto& x : feeding_changes(self, changes))
      changes.push_back(std::move(x));
    commit_control(self, changes);
  }
  forget_gone_sources(self);
  begin_topics(self);
  self->send(state.options.projector,
             meet_shard{caf::strong_actor_ptr{self->ctrl()}});
  (void)state.recovering.is_over(); // as the line says
  spdlog::info("shard_ready users={} queues={} items_last={} journalled={} "
               "projected={}",
               state.users.size(), state.queues.size(), state.id_last,
               found.journalled, found.projected);
  note_recovery_time(self, found);
  for (auto& x : std::exchange(state.awaiting_ready, {}))
    journal::answer(x, caf::make_message(done{}));
  run_moves(self);
}

void recover_later(shard_pointer self, const caf::error& why) {
  auto& state = self->state;
  if (auto reason = render(why); state.recovering.is_new(reason))
    spdlog::error("recovery_failed shard={} reason=\"{}\"",
                  state.options.number, reason);
  for (auto& x : std::exchange(state.awaiting_ready, {}))
    journal::answer(x, why);
  self->delayed_send(self, std::chrono::seconds{1}, retry_recovery{});
}

void recover_now(shard_pointer self) {
  const auto generation = self->state.journal.generation;
  const auto since = self->clock().now();
  // Reading a large store takes as long as it takes.
  self->request(self->state.options.projector, caf::infinite, recover{})
    .then(
      [=](recovered& x) {
        crash_point("recovery_read");
        x.state->asked_at = since;
        bring_up(self, {std::move(x.state), generation});
      },
      [=](const caf::error& why) { recover_later(self, why); });
}

void bring_up_later(shard_pointer self, retry_bring_up x,
                    const std::string& why) {
  auto& state = self->state;
  if (state.recovering.is_new(why))
    spdlog::warn("shard_waits shard={} reason=\"{}\"", state.options.number,
                 why);
  self->delayed_send(self, std::chrono::milliseconds{200}, std::move(x));
}

bool is_over(shard_pointer self, const retry_bring_up& x) {
  return self->state.journal.generation != x.generation
         || self->state.now != shard_state::phase::recovering;
}

} // namespace

void bring_up(shard_pointer self, retry_bring_up x) {
  const auto& options = self->state.options;
  if (is_over(self, x))
    return;
  if (options.number == 0 || !options.router) {
    begin_serving(self, *x.found, std::nullopt);
    return;
  }
  self->request(options.router, options.request_timeout, fetch_newest{})
    .then(
      [=](const control_changed& newest) {
        if (is_over(self, x))
          return;
        if (newest.revision < self->state.revision)
          bring_up_later(self, x, "shard 0 is behind");
        else
          begin_serving(self, *x.found, newest);
      },
      [=](const caf::error& why) { bring_up_later(self, x, render(why)); });
}

void start_recovery(shard_pointer self) {
  auto& state = self->state;
  if (state.now == shard_state::phase::draining)
    return;
  state.now = shard_state::phase::recovering;
  ++state.journal.generation;
  self->send(state.journal.actor, begin_generation{state.journal.generation});
  // What the last generation still has on its way must be in the journal, or
  // refused by it, before the store is read.
  self->request(shard_self{self}, caf::infinite, journal::pass_journal{})
    .then([=](const done&) { recover_now(self); },
          [=](const caf::error& why) { recover_later(self, why); });
}

/// Nothing in memory is true any more: everyone goes, and the store says what
/// is.
void start_over(shard_pointer self, const caf::error& why) {
  auto& state = self->state;
  if (state.now == shard_state::phase::recovering)
    return;
  spdlog::warn("shard_starting_over reason=\"{}\"", render(why));
  const auto end = [=](const auto& child) {
    self->unlink_from(child);
    self->send_exit(child, caf::exit_reason::kill);
  };
  for (auto& [name, entry] : state.users)
    end(entry.actor);
  for (auto& queue : state.queues)
    if (queue.actor)
      end(queue.actor);
  state.users.clear();
  state.queues.clear();
  state.queue_numbers.clear();
  state.rings.clear();
  state.settings_told = {};
  state.records = {};
  forget_topics(self, why);
  state.moving.reset();
  state.moves_ended.clear();
  ++state.journal.generation;
  if (state.now == shard_state::phase::draining)
    return; // the next engine recovers
  const bool is_alone = !state.options.router;
  if (why == ec::store_damaged || (why == ec::fenced && is_alone)) {
    // It is not the store that was opened: whoever opens it anew may go on. Or
    // it is another engine's for good, where nobody shares shards.
    self->quit(why);
    return;
  }
  state.now = shard_state::phase::recovering;
  self->delayed_send(self, std::chrono::seconds{1}, retry_recovery{});
}

} // namespace depositd::shard
