// Shards of other engines: who has them says the table, their handles say the
// engines themselves.
//
// Of two engines the one whose name sorts first connects, to every other that
// is alive; the other one waits for that, and asks over the same connection.
// If both connected at once, CAF could end up with two connections of which
// each side uses another one, and would lose the answers.

#include "actors/cluster/keeper/parts.hpp"

#include <spdlog/spdlog.h>

#include <utility>

namespace depositd::cluster {

namespace {

/// What the engine says it has, where the table says so, too.
void take_word(shard_keeper_pointer self, const std::string& engine,
               const engine_met& x) {
  auto& state = self->state;
  for (const auto& owned : x.shards) {
    if (owned.shard >= state.shards.size()
        || owned.shard >= state.table.shards.size())
      continue;
    const auto& lease = state.table.shards[owned.shard];
    auto& kept = state.shards[owned.shard];
    if (lease.owner.name != engine || owned.epoch < lease.epoch
        || kept.now != phase::none)
      continue;
    kept.told = engine;
    kept.reported_epoch = owned.epoch;
    place(self, {owned.shard, owned.epoch, engine, owned.core, owned.reads,
                 false});
  }
}

/// The engine, unless it was given up meanwhile.
met_engine* current(shard_keeper_pointer self, const std::string& name,
                    std::uint64_t attempt) {
  const auto at = self->state.engines.find(name);
  return at != self->state.engines.end() && at->second.attempt == attempt
           ? &at->second
           : nullptr;
}

bool is_ours_to_find(shard_keeper_pointer self, const std::string& name) {
  return self->state.options.leases->self().name < name;
}

void ask(shard_keeper_pointer self, const std::string& name,
         met_engine& engine) {
  engine.asked = true;
  const auto attempt = engine.attempt;
  const auto& options = self->state.options;
  const auto& us = options.leases->self();
  meet_engine call{us.name, us.address,
                   caf::actor_cast<caf::strong_actor_ptr>(options.admin)};
  self->request(engine.admin, options.request_timeout, std::move(call))
    .then(
      [=](const engine_met& x) {
        if (auto* now = current(self, name, attempt)) {
          now->asked = false;
          take_word(self, name, x);
        }
      },
      [=](const caf::error&) {
        auto* now = current(self, name, attempt);
        if (now == nullptr)
          return;
        now->asked = false;
        if (is_ours_to_find(self, name)) // again, at its address of then
          self->state.engines.erase(name);
      });
}

void find(shard_keeper_pointer self, const engine_identity& who) {
  auto& state = self->state;
  auto& engine = state.engines[who.name];
  engine = met_engine{who.address, {}, ++state.attempts, true};
  const auto attempt = engine.attempt;
  const auto name = who.name;
  self
    ->request(state.options.finder, state.options.request_timeout,
              find_engine{who.address})
    .then(
      [=](const engine_found& x) {
        auto* now = current(self, name, attempt);
        if (now == nullptr)
          return;
        now->admin = x.admin;
        self->state.trouble.erase(name);
        // One that died is asked no more: nobody would answer for it.
        self->monitor(x.admin);
        ask(self, name, *now);
      },
      [=, address = who.address](const caf::error& why) {
        if (current(self, name, attempt) == nullptr)
          return;
        self->state.engines.erase(name);
        const auto text = address + ": " + render(why);
        if (std::exchange(self->state.trouble[name], text) != text)
          spdlog::info("engine_not_reached engine={} reason=\"{}\"", name,
                       text);
      });
}

/// Connects to whom we do not know yet, if it is ours to do.
void connect(shard_keeper_pointer self, const engine_identity& who) {
  const auto& engines = self->state.engines;
  const auto known = engines.find(who.name);
  if (is_ours_to_find(self, who.name)
      && (known == engines.end() || known->second.address != who.address))
    find(self, who);
}

void meet(shard_keeper_pointer self, const engine_identity& who) {
  connect(self, who);
  auto& engines = self->state.engines;
  const auto known = engines.find(who.name);
  if (known != engines.end() && known->second.admin && !known->second.asked)
    ask(self, who.name, known->second);
}

/// Nobody, or somebody who cannot be asked yet: what is set is not told them.
void place_unmet(shard_keeper_pointer self, const shard_lease& x) {
  shard_placed out;
  out.shard = x.shard;
  out.epoch = x.epoch;
  out.engine = x.owner.name;
  place(self, out);
}

} // namespace

void meet_owners(shard_keeper_pointer self) {
  auto& state = self->state;
  const auto& us = state.options.leases->self().name;
  for (const auto& lease : state.table.shards) {
    auto& kept = state.shards[lease.shard];
    if (kept.now != phase::none || lease.owner.name == us)
      continue;
    if (!kept.told.empty()
        && (kept.told != lease.owner.name
            || kept.reported_epoch < lease.epoch)) {
      kept.told.clear();
      kept.unmet.clear();
      place_nobody(self, lease.shard, lease.epoch);
    }
    if (!kept.told.empty())
      continue;
    if (kept.unmet != lease.owner.name) {
      kept.unmet = lease.owner.name;
      place_unmet(self, lease);
    }
    if (!lease.owner.name.empty())
      meet(self, lease.owner);
  }
  for (const auto& engine : state.table.engines)
    connect(self, engine.who);
}

void called(shard_keeper_pointer self, const meet_engine& x) {
  auto& state = self->state;
  const auto admin = caf::actor_cast<admin_actor>(x.from);
  if (!admin || is_ours_to_find(self, x.name)
      || x.name == state.options.leases->self().name)
    return;
  auto& engine = state.engines[x.name];
  if (engine.admin == admin)
    return;
  engine = met_engine{x.address, admin, ++state.attempts, false};
  self->monitor(admin);
  ask(self, x.name, engine);
}

bool engine_down(shard_keeper_pointer self, const caf::actor_addr& who) {
  const auto gone
    = std::erase_if(self->state.engines, [&](const auto& entry) {
        return entry.second.admin && entry.second.admin.address() == who;
      });
  // Found again with the next look: not sooner, as one that stops still tells
  // who it was.
  return gone > 0;
}

void doubt_owners(shard_keeper_pointer self) {
  // Who was met stays where they are until they are met again.
  for (auto& x : self->state.shards)
    x.unmet = std::exchange(x.told, {});
}

} // namespace depositd::cluster
