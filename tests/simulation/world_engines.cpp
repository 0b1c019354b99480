// Engines start, crash, and lose what they have to others.

#include "messages/values/operations.hpp"
#include "tests/simulation/world.hpp"

#include <caf/send.hpp>

namespace depositd::simulation {

shards_actor world::way_in() {
  if (!is_shared())
    return engine_ ? shards_actor{engine_->core.shard} : shards_actor{};
  const auto* engine = some_engine();
  return engine == nullptr ? shards_actor{} : shards_actor{engine->router};
}

depositd::engine::core_options world::options_of(simulated_engine& engine,
                                                 micros wall_offset_us) {
  depositd::engine::core_options options;
  options.shard = engine.shard;
  options.shards = knobs_.shards;
  options.journal = engine.store.get();
  options.projection = engine.tables.get();
  options.threads = false;
  options.clock =
    engine_clock{wall_offset_us + now_us(), scheduler_.clock().now()};
  options.budget =
    std::make_shared<memory_budget>(knobs_.no_budget ? 0 : 1 << 20);
  configuration_seen::queue deposits;
  deposits.name = "metadata";
  deposits.settings = deposit_queue_defaults();
  if (engine.shard == 0) {
    options.configuration.queues.push_back(deposits);
    options.configuration.processors_count = knobs_.slots;
    if (told_.with_mail && knobs_.notifying)
      options.configuration.queues.push_back(
        {notify_queue, outbox_queue_defaults()});
    if (knobs_.restarts)
      configure(options);
  }
  if (knobs_.tiny_groups) {
    options.group_bytes_max = 1;
    options.slice_items = 2;
  }
  if (knobs_.tight_disk)
    options.disk_spare_bytes = 2048;
  if (knobs_.kept_s > 0)
    options.retention_s = knobs_.kept_s;
  // Longer than what was sent to it may be held up on its way.
  if (knobs_.fleeting)
    options.queue_idle_max = 20s;
  options.blobs = blobs_.get();
  options.published = topics_ && topics_begun_;
  options.new_reference = [this] { return next_reference(); };
  return options;
}

void world::start_engine() {
  auto fresh = std::make_unique<simulated_engine>();
  auto& disk = *disks_[0];
  fresh->store = disk.open();
  fresh->tables = disk.tables_of(*fresh->store);
  fresh->core =
    depositd::engine::spawn_core(system_, options_of(*fresh, wall_offset_us_));
  spawn_topics(*fresh, fresh->core.shard);
  spawn_schedulers(*fresh, fresh->core.shard);
  spawn_orders(*fresh);
  fresh->reviews
    = spawn_reviews(fresh->core.projector, wall_offset_us_, nullptr);
  engine_ = std::move(fresh);
}

void world::end(simulated_engine& engine) {
  if (engine_.get() == &engine)
    part_node();
  // Whoever is held up would hear of it too late.
  let_go(true);
  for (const auto& [name, who] : engine.core.all())
    caf::anon_send_exit(caf::actor_cast<caf::actor>(who),
                        caf::exit_reason::kill);
  if (engine.intake)
    caf::anon_send_exit(engine.intake, caf::exit_reason::kill);
  if (engine.publisher)
    caf::anon_send_exit(engine.publisher, caf::exit_reason::kill);
  if (engine.schedulers)
    caf::anon_send_exit(engine.schedulers, caf::exit_reason::kill);
  end_orders(engine.orders);
  if (engine.reviews)
    caf::anon_send_exit(engine.reviews, caf::exit_reason::kill);
}

/// Everything in memory is gone, whatever was under way.
void world::crash_engine() {
  if (!engine_)
    return;
  tell(fault{"the engine crashes"});
  end(*engine_);
  former_.push_back(std::move(engine_));
  settle();
  if (chance_.one_in(2))
    let_time_pass(some_ms(30'000));
  if (knobs_.clock_jumps)
    wall_offset_us_ =
      wall_began_us_ + (std::int64_t{chance_.below(7'200)} - 3'600) * 1'000'000;
  disks_[0]->look_at_recovery();
  start_engine();
  if (chance_.one_in(4)) { // and again, while it recovers
    run(chance_.below(30));
    end(*engine_);
    former_.push_back(std::move(engine_));
    settle();
    start_engine();
  }
}

/// Another engine takes the shard; the one that has it does not know.
void world::lose_shard() {
  if (!engine_)
    return;
  tell(fault{"another engine takes the shard"});
  doom_node();
  former_.push_back(std::move(engine_));
  start_engine();
  run(chance_.below(200));
}

void world::set_faults(bool on) {
  disk_faults x;
  if (on) {
    x.lost_one_in = knobs_.lost_appends ? 100 : 0;
    x.unknown_one_in = knobs_.unknown_appends ? 100 : 0;
    x.bad_read_one_in = knobs_.bad_reads ? 20 : 0;
    x.slice_one_in = knobs_.bad_reads ? 10 : 0;
  }
  for (const auto& disk : disks_)
    disk->faults = x;
  set_blob_faults(on);
}

} // namespace depositd::simulation
