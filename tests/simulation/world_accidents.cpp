// What happens to engines that share the shards: they are killed, stopped for a
// while, cut off from the leases; they come and leave as planned.

#include "tests/simulation/world.hpp"
#include "tests/simulation/world_ask.hpp"

#include <caf/send.hpp>

#include <algorithm>
#include <utility>

namespace depositd::simulation {

namespace {

/// At the same time.
std::uint32_t engines_max(const knobs& of) {
  return of.crowd ? 12 : 3;
}

} // namespace

void world::trouble_engines() {
  switch (chance_.below(6)) {
    case 0:
      return knobs_.engine_crashes ? crash_sharing() : send_messages();
    case 1:
      return knobs_.lost_shards ? pause_engine() : produce();
    case 2:
      return knobs_.lease_outages ? cut_engine() : send_messages();
    case 3:
      return knobs_.departures ? depart() : send_deposit();
    default:
      return engines_up() < engines_max(knobs_) && chance_.one_in(2)
               ? arrive()
               : send_messages();
  }
}

/// Under a name that nobody has who is up, perhaps one of before.
void world::arrive() {
  std::string name;
  auto names = 5U; // some may still be leaving
  do {
    name = std::string{"e"}.append(std::to_string(1 + chance_.below(names++)));
  } while (std::any_of(engines_.begin(), engines_.end(), [&](const auto& x) {
    return !x->gone && x->name == name;
  }));
  tell(fault{name + " joins"});
  join(name);
}

void world::end(sharing_engine& engine) {
  if (engine.gone)
    return;
  engine.gone = true;
  if (links_)
    links_->cut_all(engine.number);
  part_node();    // perhaps from another, which does no harm
  resume(engine); // or it would not hear of its end
  let_go(true);
  const auto kill = [](const auto& who) {
    if (who)
      caf::anon_send_exit(caf::actor_cast<caf::actor>(who),
                          caf::exit_reason::kill);
  };
  kill(engine.keeper);
  kill(engine.router);
  kill(engine.reader);
  kill(engine.admin);
  kill(engine.slots);
  end_orders(engine.orders);
  kill(engine.reviews);
  for (const auto& who : engine.helpers)
    kill(who);
  if (engine.slots)
    tell(processor_joined{engine.worker, "metadata", {}, 0});
  for (const auto& core : engine.cores) {
    if (core->ended)
      continue;
    core->ended = true;
    for (const auto& [name, who] : core->core.all())
      kill(who);
    kill(core->intake);
    kill(core->publisher);
    kill(core->schedulers);
  }
  if (const auto at = admins_.find(engine.name);
      at != admins_.end() && at->second == engine.admin)
    admins_.erase(at);
  cut_off(*database_, engine.name, false);
}

/// Everything in memory is gone, whatever was under way; another engine comes
/// after some time, perhaps under the same name.
void world::crash_sharing() {
  auto* engine = some_engine();
  if (engine == nullptr)
    return arrive();
  tell(fault{engine->name + " is killed"});
  end(*engine);
  settle();
  for (const auto& disk : disks_)
    disk->look_at_recovery();
  if (chance_.one_in(4))
    join(engine->name); // at once
  else
    arrivals_us_.push_back(now_us() + 1000 * chance_.below(4 * lease_ms_));
}

/// Its timers, its messages, all of it; the leases end meanwhile, or do not.
void world::pause_engine() {
  auto* engine = some_engine();
  if (engine == nullptr || engine->paused_until_us != 0)
    return send_messages();
  tell(fault{engine->name + " is stopped"});
  engine->paused_until_us =
    now_us() + 1000 * (1 + chance_.below(3 * lease_ms_));
}

void world::resume(sharing_engine& engine) {
  if (engine.paused_until_us == 0)
    return;
  engine.paused_until_us = 0;
  tell(resumed{engine.name});
  for (auto* who : std::exchange(engine.stopped, {}))
    scheduler_.jobs.push_back(who);
}

void world::cut_engine() {
  auto* engine = some_engine();
  if (engine == nullptr || engine->cut_until_us != 0)
    return send_messages();
  tell(fault{engine->name + " cannot reach the leases"});
  engine->cut_until_us = now_us() + 1000 * (1 + chance_.below(3 * lease_ms_));
  cut_off(*database_, engine->name, true);
}

/// As the program stops: first nothing comes in and nothing is handed out here,
/// then the slots end what they have, then the shards go to others.
void world::depart() {
  auto* engine = some_engine();
  if (engine == nullptr || engines_up() < 2)
    return arrive();
  tell(fault{engine->name + " leaves"});
  engine->leaving = true;
  caf::anon_send(
    outside_, act{[this, engine](caf::event_based_actor* self) {
      const auto leave = [=, this] {
        self->request(engine->keeper, caf::infinite, leave_shards{})
          .then([=, this](const done&) { end(*engine); },
                [](const caf::error&) { /* killed */ });
      };
      const auto end_slots = [=] {
        self
          ->request(engine->slots, std::chrono::seconds{10}, depositd::drain{})
          .then([=](const done&) { leave(); },
                [=](const caf::error&) { leave(); });
      };
      self->request(engine->router, std::chrono::seconds{10}, depositd::drain{})
        .then([=](const done&) { end_slots(); },
              [=](const caf::error&) { end_slots(); });
    }});
}

void world::tick_engines() {
  const auto now = now_us();
  for (const auto& engine : engines_) {
    if (engine->paused_until_us != 0 && engine->paused_until_us <= now)
      resume(*engine);
    if (engine->cut_until_us != 0 && engine->cut_until_us <= now) {
      engine->cut_until_us = 0;
      cut_off(*database_, engine->name, false);
    }
  }
  tick_links();
  const auto due =
    std::erase_if(arrivals_us_, [&](micros at) { return at <= now; });
  for (std::size_t i = 0; i < due; ++i)
    if (engines_up() < engines_max(knobs_))
      arrive();
}

// -- the end ------------------------------------------------------------------

void world::calm_engines() {
  for (const auto& engine : engines_) {
    resume(*engine);
    engine->cut_until_us = 0;
    cut_off(*database_, engine->name, false);
  }
  calm_links();
  arrivals_us_.clear();
  if (engines_up() == 0)
    arrive();
  // Leases of those who went end, and others take the shards.
  let_time_pass(std::chrono::milliseconds{3 * lease_ms_});
  if (knobs_.crowd)
    await_balance();
}

/// Many shards go one after the other until everybody has as many.
void world::await_balance() {
  constexpr int patience = 200;
  const auto opened = [&] {
    std::size_t out = 0;
    for (const auto& engine : engines_)
      out += engine->cores.size();
    return out;
  };
  auto before = opened();
  for (int i = 0; i < patience; ++i) {
    let_time_pass(3s);
    if (std::exchange(before, opened()) == opened())
      return;
  }
}

void world::list_left_engines() {
  std::vector<std::uint32_t> owners(knobs_.shards);
  for (const auto& engine : engines_)
    if (engine->leaving && !engine->gone)
      tell(left_over{engine->name + " does not get away"});
    else if (!engine->gone)
      for (const auto& shard : engine->owned->get().shards)
        ++owners[shard.shard];
  for (shard_number shard = 0; shard < knobs_.shards; ++shard)
    if (owners[shard] != 1)
      tell(left_over{"shard " + std::to_string(shard) + " has "
                     + std::to_string(owners[shard]) + " owners"});
  if (!knobs_.ages) // else they may be forgotten by now
    look_up_deposits();
}

/// Through every engine that is there.
void world::look_up_deposits() {
  for (const auto& engine : engines_) {
    if (engine->gone || engine->leaving)
      continue;
    for (const auto id : deposited_) {
      submission_query by_id;
      by_id.id = id;
      by_id.count_max = 1;
      const auto found = std::make_shared<bool>(false);
      caf::anon_send(outside_, act{[=, reader = engine->reader](
                                     caf::event_based_actor* self) {
                       self->request(reader, std::chrono::minutes{1}, by_id)
                         .then(
                           [=](const submissions_found& x) {
                             *found = x.rows.size() == 1 && x.rows[0].id == id;
                           },
                           [](const caf::error&) { /* not found */ });
                     }});
      settle();
      if (!*found)
        tell(left_over{"deposit " + std::to_string(id)
                       + " is not found through " + engine->name});
    }
  }
}

} // namespace depositd::simulation
