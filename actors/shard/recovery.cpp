#include "actors/journal/reply.hpp"
#include "actors/rules/control/control.hpp"
#include "actors/shard/parts.hpp"
#include "messages/values/codec.hpp"
#include "messages/values/test_points.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>

namespace depositd::shard {

namespace {

/// Claims of processors that died with the last engine end here: as events, so
/// that the attempts they cost stay counted.
void release_local(shard_pointer self, recovered_state& found) {
  if (seeded_bug("claims_kept_at_recovery"))
    return;
  for (auto& [user, ledgers] : found.ledgers) {
    record what{user, {}};
    for (auto& [queue, ledger] : ledgers)
      for (auto& x : ledger.release_local_claims(now(self))) {
        ledger.apply(x);
        what.events.push_back(std::move(x));
      }
    if (what.events.empty())
      continue;
    append out;
    out.generation = self->state.generation;
    out.events = static_cast<std::uint32_t>(what.events.size());
    std::vector<body_slot> slots;
    encode(what, out.bytes, slots);
    if (self->state.options.backlog)
      self->state.options.backlog->bytes += out.bytes.size();
    self->send(self->state.options.journal, std::move(out));
  }
}

/// A user's actor with everything that recovery found of the user.
void restore_user(shard_pointer self, recovered_state& found,
                  const std::string& user,
                  std::map<std::string, rules::ledger>& ledgers) {
  auto& state = self->state;
  const auto time = now(self);
  auto kept = std::make_shared<std::map<std::string, rules::ledger>>();
  std::vector<std::pair<queue_number, introduce>> introductions;
  auto& entry = state.users[user];
  entry.used_us = time;
  for (auto& [name, ledger] : ledgers) {
    const auto number = find_queue(self, name);
    if (!number || ledger.idle())
      continue;
    // Settings may stand behind the items in the journal.
    ledger.configure(name, state.control->queues.at(name), size_classes{});
    ledger.wake(time);
    ledger.take_changes();
    introduce x;
    x.member = state.queues[*number].members_next++;
    x.user = user;
    x.limits = rules::limits_of(*state.control, name, user);
    x.ready = ledger.ready_counts();
    x.in_flight = ledger.claims();
    x.items = ledger.size();
    x.arrived = ledger.arrivals();
    const auto stood = found.rings.find({name, user});
    if (stood != found.rings.end()) {
      std::tie(x.stamp, x.credit) = stood->second;
      state.rings.erase({name, user});
    }
    entry.members.emplace(*number, x.member);
    introductions.emplace_back(*number, std::move(x));
    kept->emplace(name, std::move(ledger));
  }
  if (introductions.empty()) {
    state.users.erase(user);
    return;
  }
  const auto& options = state.options;
  entry.actor = self->spawn<caf::linked>(
    users::user,
    users::user_options{user, options.journal, state.generation, options.epoch,
                        options.clock, options.budget, options.backlog},
    users::recovered_ledgers{std::move(kept)}); // the user's alone from here on
  for (auto& [number, x] : introductions) {
    const auto& queue = state.queues[number];
    const auto member = x.member;
    x.actor = caf::actor_cast<caf::strong_actor_ptr>(entry.actor);
    self->send(queue.actor, std::move(x));
    self->send(entry.actor,
               serve_queue{number,
                           caf::actor_cast<caf::strong_actor_ptr>(queue.actor),
                           queue.name, state.control->queues.at(queue.name),
                           size_classes{}, 0, member});
  }
}

std::uint64_t stamp_last(const recovered_state& found,
                         const std::string& queue) {
  std::uint64_t out = 0;
  for (auto at = found.rings.lower_bound({queue, ""});
       at != found.rings.end() && at->first.first == queue; ++at)
    out = std::max(out, at->second.first);
  return out;
}

void begin_serving(shard_pointer self, recovered_state& found) {
  auto& state = self->state;
  if (state.now == shard_state::phase::draining)
    return;
  crash_point("recovery_read");
  state.control = std::make_shared<control_state>(found.control);
  // Numbers from `reserve_id` have effects (recorded DOIs) before the journal
  // knows them; the projector has asked the registry for the highest.
  state.id_last = std::max(
    {state.id_last, found.id_max, ids_begin(state.options.number)});
  state.rings = found.rings;
  state.watermarks = found.watermarks;
  state.ingested = rules::recent_ids{ingest_ids_kept_us, ingest_ids_max};
  for (const auto& x : found.ingested)
    state.ingested.see(x.user, x.file_name, x.size, 0, x.received_us);
  // Above all that this owner has told, if it starts over: it told some of it
  // before the append that failed.
  state.revision = state.options.number == 0
                     ? std::max(state.revision,
                                first_revision(state.options.epoch))
                     : 0;
  for (const auto& [name, settings] : state.control->queues)
    spawn_queue(self, name);
  release_local(self, found);
  for (auto& [user, ledgers] : found.ledgers)
    restore_user(self, found, user, ledgers);
  for (const auto& queue : state.queues)
    self->send(queue.actor, begin{stamp_last(found, queue.name)});
  crash_point("recovery_released");
  state.now = shard_state::phase::serving;
  if (state.options.number == 0) { // the others hear of it from there
    warn_of_fixed(*state.control, state.options.configuration);
    commit_control(
      self, configuration_changes(*state.control, state.options.configuration),
      {});
  }
  self->send(state.options.projector,
             meet_shard{caf::strong_actor_ptr{self->ctrl()}});
  spdlog::info("shard_ready users={} queues={} items_last={} journalled={} "
               "projected={}",
               state.users.size(), state.queues.size(), state.id_last,
               found.journalled, found.projected);
  for (auto& x : std::exchange(state.awaiting_ready, {}))
    journal::answer(x, caf::make_message(done{}));
  run_moves(self);
}

void recover_later(shard_pointer self, const caf::error& why) {
  spdlog::error("recovery_failed reason=\"{}\"", render(why));
  for (auto& x : std::exchange(self->state.awaiting_ready, {}))
    journal::answer(x, why);
  self->delayed_send(self, std::chrono::seconds{1}, retry_recovery{});
}

void recover_now(shard_pointer self) {
  const auto generation = self->state.generation;
  // Reading a large store takes as long as it takes.
  self->request(self->state.options.projector, caf::infinite, recover{})
    .then(
      [=](recovered& x) {
        if (self->state.generation == generation)
          begin_serving(self, *x.state);
      },
      [=](const caf::error& why) { recover_later(self, why); });
}

} // namespace

void start_recovery(shard_pointer self) {
  auto& state = self->state;
  if (state.now == shard_state::phase::draining)
    return;
  state.now = shard_state::phase::recovering;
  ++state.generation;
  // What the last generation still has on its way must be in the journal, or
  // refused by it, before the store is read.
  self->request(shard_self{self}, caf::infinite, pass_journal{})
    .then([=](const done&) { recover_now(self); },
          [=](const caf::error& why) { recover_later(self, why); });
}

/// Answered when the journal has taken up the new generation.
caf::result<done> pass_through_journal(shard_pointer self) {
  const auto& state = self->state;
  self->send(state.options.journal, begin_generation{state.generation});
  return answer_after_commits(self, done{});
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
    end(queue.actor);
  state.users.clear();
  state.queues.clear();
  state.queue_numbers.clear();
  state.rings.clear();
  state.moving.reset();
  state.moves_ended.clear();
  ++state.generation;
  if (state.now == shard_state::phase::draining)
    return; // the next engine recovers
  state.now = shard_state::phase::recovering;
  self->delayed_send(self, std::chrono::seconds{1}, retry_recovery{});
}

} // namespace depositd::shard
