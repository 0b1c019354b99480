// Several engines that share the shards, as the program wires them.

#include "tests/simulation/leases.hpp"
#include "tests/simulation/world.hpp"
#include "tests/support/meeting_admin.hpp"

#include <caf/send.hpp>

#include <algorithm>

namespace depositd::simulation {

namespace {

using simulated_finder = engine_finder_actor::extend<caf::reacts_to<act>>;

} // namespace

// -- whose actors are whose ---------------------------------------------------

void world::own_new_actors(std::uint32_t engine) {
  owners_.resize(system_.latest_actor_id() + 1, engine);
}

std::uint32_t world::owner_of(caf::resumable* who) const {
  // There are no others here; a dynamic cast for each message takes long.
  const auto id = static_cast<caf::scheduled_actor*>(who)->id();
  return id < owners_.size() ? owners_[id] : 0;
}

bool world::stop_if_paused(sharing_engine& engine) {
  if (engine.paused_until_us == 0)
    return false;
  engine.stopped.push_back(scheduler_.jobs.front());
  scheduler_.jobs.pop_front();
  return true;
}

sharing_engine* world::some_engine() {
  std::vector<sharing_engine*> up;
  for (const auto& engine : engines_)
    if (!engine->gone && !engine->leaving)
      up.push_back(engine.get());
  return up.empty() ? nullptr
                    : up[chance_.below(static_cast<std::uint32_t>(up.size()))];
}

std::uint32_t world::engines_up() const {
  return static_cast<std::uint32_t>(
    std::count_if(engines_.begin(), engines_.end(),
                  [](const auto& x) { return !x->gone && !x->leaving; }));
}

// -- joining ------------------------------------------------------------------

void world::begin_sharing() {
  if (knobs_.links)
    links_ = std::make_unique<engine_links>(system_);
  told_.with_leases = true;
  database_ = make_memory_leases(
    {knobs_.shards, [this] { return scheduler_.clock().now(); }});
  for (std::uint32_t i = 0; i < knobs_.engines; ++i)
    arrive();
  const auto all_have_owners = [&] {
    std::size_t owned = 0;
    for (const auto& engine : engines_)
      owned += engine->owned->get().shards.size();
    return owned == knobs_.shards;
  };
  for (int i = 0; i < 60 && !all_have_owners(); ++i)
    let_time_pass(500ms);
}

engine_finder_actor world::spawn_finder(sharing_engine& on) {
  return system_.spawn(
    [this,
     &on](simulated_finder::pointer self) -> simulated_finder::behavior_type {
      return {
        [=, this, &on](const find_engine& x) -> caf::result<engine_found> {
          const auto found = [=, this, &on]() -> caf::expected<engine_found> {
            const auto at = admins_.find(x.address);
            if (at == admins_.end())
              return caf::make_error(caf::sec::cannot_connect_to_node);
            const auto whose = owners_[at->second.id()];
            if (!can_reach(on.number, whose))
              return caf::make_error(caf::sec::cannot_connect_to_node);
            return engine_found{seen(on, whose, at->second)};
          };
          const auto trouble = knobs_.lost_meetings && !calm_;
          if (trouble && chance_.one_in(4))
            return caf::make_error(caf::sec::cannot_connect_to_node);
          if (!trouble || !chance_.one_in(4))
            return found();
          auto promise = self->make_response_promise<engine_found>();
          self->delayed_send(self, some_ms(8'000),
                             act{[=](caf::event_based_actor*) mutable {
                               if (auto late = found())
                                 promise.deliver(std::move(*late));
                               else
                                 promise.deliver(std::move(late.error()));
                             }});
          return promise;
        },
        [](act& x) { x.what(nullptr); },
      };
    });
}

admin_actor world::spawn_admin(sharing_engine& on) {
  return system_.spawn(
    meeting_admin, on.owned, [this, &on](const meet_engine& x) {
      const auto lost = knobs_.lost_meetings && !calm_ && chance_.one_in(4);
      if (lost || !on.keeper)
        return false;
      caf::anon_send(on.keeper, x);
      return true;
    });
}

void world::join(const std::string& name) {
  auto& on = *engines_.emplace_back(std::make_unique<sharing_engine>());
  on.name = name;
  on.number = static_cast<std::uint32_t>(engines_.size());
  on.wall_offset_us = wall_offset_us_;
  if (knobs_.clock_jumps)
    on.wall_offset_us += (std::int64_t{chance_.below(120)} - 60) * 1'000'000;
  own_new_actors(0);
  auto leases = open_memory_leases(database_, {name, name}, knobs_.shards);
  on.owned = std::make_shared<cluster::owned_shards>(name);
  on.admin = spawn_admin(on);
  admins_[name] = on.admin;
  cluster::forwarding_options to;
  to.count = knobs_.shards;
  to.owner_wait = std::chrono::milliseconds{lease_ms_} + 5s;
  to.lost = [&on] {
    if (on.keeper)
      caf::anon_send(on.keeper, look_now{});
  };
  on.router =
    system_.spawn(cluster::shard_router, cluster::shard_router_options{to});
  on.reader = system_.spawn(cluster::projection_router, to);
  cluster::shard_keeper_options options;
  options.leases = std::make_shared<recorded_leases>(
    std::move(*leases),
    recorded_leases::surroundings{
      &told_, &chance_, [this] { return now_us(); },
      [this](shard_number shard, epoch_number epoch) {
        disks_[shard]->raise(epoch);
      },
      [this] { return knobs_.lease_doubts && !calm_ ? 40U : 0U; }});
  options.lease_ms = lease_ms_;
  options.open = [this, &on](shard_number shard, epoch_number epoch) {
    return open_shard(on, shard, epoch);
  };
  options.finder = spawn_finder(on);
  on.helpers.push_back(caf::actor_cast<caf::actor>(options.finder));
  options.admin = on.admin;
  options.owned = on.owned;
  options.drain_ms = 2'000;
  options.threads = false;
  options.failed = [this, &on](const caf::error&) {
    caf::anon_send(outside_,
                   act{[this, &on](caf::event_based_actor*) { end(on); }});
  };
  on.keeper = system_.spawn(cluster::shard_keeper, std::move(options),
                            on.router, on.reader);
  if (knobs_.slots > 0)
    spawn_slots(on);
  spawn_orders(on);
  on.reviews = spawn_reviews(on.reader, on.wall_offset_us, leads(on));
  own_new_actors(on.number);
}

// -- shards come and go -------------------------------------------------------

caf::expected<cluster::opened_core>
world::open_shard(sharing_engine& on, shard_number shard, epoch_number epoch) {
  if (on.gone)
    return caf::make_error(ec::store_failed, std::string{"killed"});
  tell(fault{on.name + " opens shard " + std::to_string(shard)});
  auto& disk = *disks_[shard];
  auto store = disk.open(epoch);
  if (!store)
    return std::move(store.error());
  auto fresh = std::make_shared<simulated_engine>();
  fresh->shard = shard;
  fresh->store = std::move(*store);
  fresh->tables = disk.tables_of(*fresh->store);
  auto options = options_of(*fresh, on.wall_offset_us);
  options.router = on.router;
  fresh->core = depositd::engine::spawn_core(system_, std::move(options));
  spawn_topics(*fresh, on.router);
  spawn_schedulers(*fresh, on.router);
  on.cores.push_back(fresh);
  cluster::opened_core out;
  out.actors = fresh->core;
  out.close = [this, fresh] { close_shard(*fresh); };
  return out;
}

void world::await_end(const std::vector<caf::strong_actor_ptr>& whom) {
  std::vector<caf::resumable*> all;
  for (const auto& who : whom)
    if (who)
      all.push_back(dynamic_cast<caf::resumable*>(
        caf::actor_cast<caf::abstract_actor*>(who)));
  const auto is_one = [&](caf::resumable* who) {
    return std::find(all.begin(), all.end(), who) != all.end();
  };
  auto& jobs = scheduler_.jobs;
  std::erase_if(held_up_, [&](const held_up& x) {
    if (!is_one(x.who))
      return false;
    jobs.push_back(x.who);
    return true;
  });
  for (;;) {
    const auto at = std::find_if(jobs.begin(), jobs.end(), is_one);
    if (at == jobs.end())
      return;
    std::rotate(jobs.begin(), at, at + 1);
    scheduler_.run_once();
    ++messages_;
  }
}

/// In the order of the program, which waits in the same places.
void world::close_shard(simulated_engine& x) {
  const auto pointer = [](const auto& who) {
    return caf::actor_cast<caf::strong_actor_ptr>(who);
  };
  const auto tell_to_end = [](const auto& who, caf::exit_reason why) {
    if (who)
      caf::anon_send_exit(caf::actor_cast<caf::actor>(who), why);
  };
  tell_to_end(x.intake, caf::exit_reason::kill);
  tell_to_end(x.publisher, caf::exit_reason::kill);
  tell_to_end(x.schedulers, caf::exit_reason::kill);
  await_end({pointer(x.intake), pointer(x.publisher), pointer(x.schedulers)});
  const auto& core = x.core;
  tell_to_end(core.shard, caf::exit_reason::kill);
  tell_to_end(core.projector, caf::exit_reason::user_shutdown);
  tell_to_end(core.bodies, caf::exit_reason::user_shutdown);
  tell_to_end(core.writer, caf::exit_reason::user_shutdown);
  await_end(
    {pointer(core.projector), pointer(core.bodies), pointer(core.writer)});
  x.ended = true;
}

} // namespace depositd::simulation
