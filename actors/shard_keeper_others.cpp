// Shards of other engines: who has them says the table, their handles say the
// engines themselves.

#include "actors/shard_keeper_parts.hpp"

#include <spdlog/spdlog.h>

namespace depositd::keeper_parts {

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
    kept.told_epoch = owned.epoch;
    place(self, {owned.shard, owned.epoch, engine, owned.core, owned.reads,
                 false});
  }
}

void ask(shard_keeper_pointer self, const std::string& engine,
         const admin_actor& admin) {
  const auto& options = self->state.options;
  self
    ->request(admin, options.request_timeout,
              meet_engine{options.leases->self().name})
    .then(
      [=](const engine_met& x) {
        self->state.meeting[engine] = false;
        take_word(self, engine, x);
      },
      [=](const caf::error&) { // asked again, at its address of then
        self->state.meeting[engine] = false;
        self->state.engines.erase(engine);
      });
}

void meet(shard_keeper_pointer self, const engine_identity& who) {
  auto& state = self->state;
  if (std::exchange(state.meeting[who.name], true))
    return;
  const auto name = who.name;
  if (const auto known = state.engines.find(name);
      known != state.engines.end()) {
    ask(self, name, known->second);
    return;
  }
  self
    ->request(state.options.finder, state.options.request_timeout,
              find_engine{who.address})
    .then(
      [=](const engine_found& x) {
        self->state.engines[name] = x.admin;
        ask(self, name, x.admin);
      },
      [=, address = who.address](const caf::error& why) {
        self->state.meeting[name] = false;
        spdlog::info("engine_not_reached engine={} address={} reason=\"{}\"",
                     name, address, render(why));
      });
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
        && (kept.told != lease.owner.name || kept.told_epoch < lease.epoch)) {
      kept.told.clear();
      place_nobody(self, lease.shard, lease.epoch);
    }
    if (kept.told.empty() && !lease.owner.name.empty())
      meet(self, lease.owner);
  }
}

void doubt_owners(shard_keeper_pointer self) {
  for (auto& x : self->state.shards)
    x.told.clear();
}

} // namespace depositd::keeper_parts
