#pragma once

// Who lives in a world: engines, and those who work outside them, as far as the
// world knows of them.

#include "actors/cluster/keeper/keeper.hpp"
#include "actors/engine/core.hpp"
#include "messages/actors.hpp"
#include "tests/simulation/history.hpp"
#include "tests/simulation/order_actors.hpp"

#include <caf/actor.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/resumable.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace depositd::simulation {

/// Somebody outside the engines does something under its own name.
struct act {
  std::function<void(caf::event_based_actor*)> what;
};

/// To a processor: the work on an item is over.
struct work_done {
  std::uint64_t hand_out = 0;
};

/// To a processor: try again to reach its queue.
struct attach_again {};

using simulated_processor =
  processor_actor::extend<caf::reacts_to<work_done>,
                          caf::reacts_to<attach_again>>;

/// What a simulated processor knows, here or not.
struct simulated_worker {
  struct way_in {
    queue_port_actor door;
    std::uint32_t number = 0; ///< 0: not attached
    shard_number shard = 0;
  };
  struct holding {
    std::uint64_t hand_out = 0;
    claimed_item item;
  };

  std::uint32_t number = 0;
  std::string queue;
  criteria wants;
  std::uint32_t lease_ms = 0;
  std::uint32_t slots = 1;
  bool quick = false; ///< does everything at once and well
  bool gone = false;
  bool looking = false;      ///< some door of several shards is missing
  std::uint32_t missing = 0; ///< of what it asks for, while it wants nothing
  std::vector<way_in> doors; ///< one for each shard that has its queue
  std::vector<holding> holds;
  simulated_processor actor;
};

struct simulated_source;
struct simulated_node;

/// An engine with the shard that it has, or believes to have; of several
/// engines one of its shards.
struct simulated_engine {
  shard_number shard = 0;
  std::unique_ptr<journal_store> store;
  std::unique_ptr<projection_store> tables;
  depositd::engine::core_actors core;
  intake_actor intake;         ///< null without topics
  publisher_actor publisher;   ///< null without topics
  schedulers_actor schedulers; ///< null without sources
  order_actors orders;         ///< null without deletions
  review_teller_actor reviews; ///< null: nobody is told
  bool ended = false;
};

/// One of several engines that share the shards.
struct sharing_engine {
  std::string name;
  std::uint32_t number = 0; ///< what its actors are known by; never again
  std::shared_ptr<cluster::owned_shards> owned;
  shard_router_actor router;
  projection_router_actor reader;
  shard_keeper_actor keeper;
  admin_actor admin;
  processor_manager_actor slots;   ///< null: none
  order_actors orders;             ///< null without deletions
  review_teller_actor reviews;     ///< null: nobody is told
  std::uint32_t worker = 0;        ///< its processors' number, if any
  std::vector<caf::actor> helpers; ///< finder, handler
  std::vector<std::shared_ptr<simulated_engine>> cores; ///< ended ones, too
  micros wall_offset_us = 0;
  bool leaving = false;
  bool gone = false;
  micros paused_until_us = 0;           ///< 0: it runs
  micros cut_until_us = 0;              ///< 0: it reaches the leases
  std::vector<caf::resumable*> stopped; ///< whose turn it was meanwhile
};

} // namespace depositd::simulation

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(depositd::simulation::act)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(depositd::simulation::work_done)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(depositd::simulation::attach_again)
