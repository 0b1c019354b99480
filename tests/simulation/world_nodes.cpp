// A node of processors: slots as the program has them, behind a connection that
// is lost, and on which it may not hear what the engine says before that.

#include "actors/processors/manager.hpp"
#include "tests/simulation/world.hpp"
#include "tests/support/other_node.hpp"

#include <caf/send.hpp>

namespace depositd::simulation {

struct simulated_node {
  explicit simulated_node(caf::actor_system& system) : way(system) {
    // nop
  }

  testing::other_node way;
  std::uint32_t worker = 0; ///< its slots' number
  processor_manager_actor manager;
  caf::actor engine;       ///< as it reaches it; null: not connected
  micros joins_us = 0;     ///< when it comes (again)
  micros parts_us = never; ///< when the connection is noticed to be gone
};

namespace {

/// The engine as the node reaches it.
caf::behavior distant_engine(caf::event_based_actor* self,
                             shard_processors_actor engine,
                             std::shared_ptr<simulated_node> node) {
  return {
    [=](const watch_control& x) { return self->delegate(engine, x); },
    [=](const open_ports& x) -> caf::result<ports_opened> {
      auto promise = self->make_response_promise<ports_opened>();
      self->request(engine, caf::infinite, x)
        .then(
          [=](ports_opened found) mutable {
            for (auto& door : found.ports)
              door.queue =
                node->way.door(engine_links::direct(door.queue));
            promise.deliver(std::move(found));
          },
          [=](const caf::error& why) mutable { promise.deliver(why); });
      return promise;
    },
  };
}

} // namespace

void world::begin_node() {
  if (!knobs_.node)
    return;
  node_ = std::make_shared<simulated_node>(system_);
  spawn_node();
  join_node();
}

void world::spawn_node() {
  node_->worker = ++worker_numbers_;
  tell(processor_joined{node_->worker, "metadata", {}, knobs_.node_slots});
  processors::processor_manager_options options;
  options.spawn_handler = [this, number = node_->worker] {
    return spawn_handler(number);
  };
  options.clock =
    engine_clock{wall_offset_us_ + now_us(), scheduler_.clock().now()};
  options.node.emplace();
  options.node->name = "n1";
  options.node->slots = knobs_.node_slots;
  node_->manager =
    system_.spawn(processors::processor_manager, std::move(options));
  own_new_actors(0);
}

/// To the engine, or to any of several.
void world::join_node() {
  const auto via = way_in();
  if (!node_->manager || node_->engine || !via)
    return;
  node_->engine =
    system_.spawn(distant_engine, shard_processors_actor{via}, node_);
  own_new_actors(0);
  caf::anon_send(
    caf::actor_cast<caf::actor>(node_->manager),
    meet_shard{caf::actor_cast<caf::strong_actor_ptr>(node_->engine)});
}

void world::part_node() {
  if (!node_ || !node_->engine)
    return;
  tell(fault{"the node has lost its engine"});
  node_->way.cut();
  caf::anon_send_exit(node_->engine, caf::exit_reason::kill);
  node_->engine = nullptr;
  node_->parts_us = never;
  node_->joins_us = now_us() + 1000 * node_chance_.below(10'000);
  if (node_->manager)
    caf::anon_send(caf::actor_cast<caf::actor>(node_->manager), meet_shard{});
}

/// Its engine has lost what it had, and will end; nobody has told it.
void world::doom_node() {
  if (node_ && node_->engine && node_->parts_us == never)
    node_->parts_us = now_us() + 1 + 1000 * node_chance_.below(20'000);
}

void world::trouble_node() {
  if (!node_->engine)
    return send_deposit();
  switch (node_chance_.below(3)) {
    case 0:
      return knobs_.node_cuts ? part_node() : send_deposit();
    case 1:
      if (!knobs_.node_deaf || node_->parts_us != never)
        return send_deposit();
      tell(fault{"the node does not hear its engine"});
      node_->way.mute();
      return doom_node();
    default:
      if (!knobs_.node_deaths)
        return send_deposit();
      tell(fault{"the node is killed"});
      end_node();
      return spawn_node(); // it joins when it is due
  }
}

void world::end_node() {
  if (!node_ || !node_->manager)
    return;
  part_node();
  tell(processor_joined{node_->worker, "metadata", {}, 0});
  caf::anon_send_exit(node_->manager, caf::exit_reason::kill);
  node_->manager = nullptr;
}

void world::tick_node() {
  if (!node_)
    return;
  if (node_->parts_us != never && node_->parts_us <= now_us())
    part_node();
  if (!node_->engine && node_->joins_us <= now_us())
    join_node();
}

/// It goes, or it is there and does its part.
void world::calm_node() {
  if (!node_)
    return;
  if (node_chance_.one_in(2))
    return end_node();
  if (node_->parts_us != never)
    part_node();
  join_node();
}

} // namespace depositd::simulation
