#pragma once

// How nodes and engines meet, and what they do for each other.

#include "messages/actors.hpp"
#include "messages/message.hpp"
#include "messages/values/sharding.hpp"
#include "messages/values/types.hpp"

#include <caf/actor_control_block.hpp>

#include <string>
#include <vector>

namespace depositd {

// -- producers and nodes of processors ----------------------------------------

/// Asks the admin actor, the one published on the node's port, for the native
/// door.
struct connect_native {};
DEPOSITD_MESSAGE(11, connect_native);

/// A node of processors that wants to work for the engine.
struct join_node {
  std::string name; ///< the same at every reconnect
  processor_manager_actor manager;
};
DEPOSITD_MESSAGE(67, join_node, name, manager);

struct node_joined {
  std::string engine;
  shard_actor shard;
  store_server_actor stores;
};
DEPOSITD_MESSAGE(68, node_joined, engine, shard, stores);

// -- engines ------------------------------------------------------------------

/// From another engine that shares the users. Of two engines one connects to
/// the other, which answers and asks over the same connection.
struct meet_engine {
  std::string name;
  std::string address;        ///< "host:port" of its node door
  caf::strong_actor_ptr from; ///< its own `admin_actor`
};
DEPOSITD_MESSAGE(69, meet_engine, name, address, from);

/// What an engine owns, for the routers of others.
struct engine_met {
  struct owned {
    shard_number shard = 0;
    epoch_number epoch = 0;
    shard_actor core;
    projector_actor reads;
  };
  std::string engine;
  std::vector<owned> shards;
};
DEPOSITD_FIELDS(engine_met::owned, shard, epoch, core, reads);
DEPOSITD_MESSAGE(70, engine_met, engine, shards);

} // namespace depositd
