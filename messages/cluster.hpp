#pragma once

// How nodes and engines meet, and how engines share the shards.

#include "messages/actors.hpp"
#include "messages/message.hpp"
#include "messages/ports/shard_leases.hpp"
#include "messages/values/sharding.hpp"
#include "messages/values/types.hpp"

#include <caf/actor_control_block.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace depositd::cluster {
struct opened_core; // see actors/cluster/keeper/keeper.hpp
} // namespace depositd::cluster

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
  shard_processors_actor shard;
  store_server_actor stores;
  /// What the working folder is known by (`work_marker`); empty: nothing, and
  /// nodes run no stage that needs it.
  std::string work_folder_id = {};
};
DEPOSITD_MESSAGE(68, node_joined, engine, shard, stores, work_folder_id);

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

/// Where another engine is.
struct find_engine {
  std::string address; ///< "host:port"
};
DEPOSITD_LOCAL(find_engine);

struct engine_found {
  admin_actor admin;
};
DEPOSITD_LOCAL(engine_found);

// -- who has which shard ------------------------------------------------------

/// Without `core` nobody has it.
struct shard_placed {
  shard_number shard = 0;
  epoch_number epoch = 0;
  std::string engine;
  shard_actor core;
  projector_actor reads;
  bool here = false; ///< in this process
};
DEPOSITD_LOCAL(shard_placed);

/// The newest settings, as shard 0 has them in its journal.
struct fetch_newest {};
DEPOSITD_LOCAL(fetch_newest);

/// Whether the keeper still hears from the store of leases.
struct leases_reached {
  bool yes = true;
};
DEPOSITD_LOCAL(leases_reached);

struct look_now {};
DEPOSITD_LOCAL(look_now);

struct leave_shards {};
DEPOSITD_LOCAL(leave_shards);

struct list_shards {};
DEPOSITD_LOCAL(list_shards);

struct shards_listed {
  lease_table table;
};
DEPOSITD_LOCAL(shards_listed);

struct list_admins {};
DEPOSITD_LOCAL(list_admins);

/// Engines that are connected to us.
struct admins_listed {
  struct entry {
    std::string engine;
    admin_actor admin;
  };
  std::vector<entry> others;
};
DEPOSITD_LOCAL(admins_listed);

// -- leases and cores ---------------------------------------------------------

struct look_at_leases {
  bool renew = false;
  std::uint32_t lease_ms = 0;
  bool reaches_logs = true; ///< told to the others with a renewal
};
DEPOSITD_LOCAL(look_at_leases);

struct leases_seen {
  bool renewed = false;
  std::vector<shard_number> ours; ///< if `renewed`
  lease_table table;
};
DEPOSITD_LOCAL(leases_seen);

struct take_lease {
  shard_number shard = 0;
  std::uint32_t lease_ms = 0;
};
DEPOSITD_LOCAL(take_lease);

struct lease_taken {
  epoch_number epoch = 0; ///< 0: another engine has it
};
DEPOSITD_LOCAL(lease_taken);

struct release_lease {
  shard_number shard = 0;
};
DEPOSITD_LOCAL(release_lease);

struct leave_engines {};
DEPOSITD_LOCAL(leave_engines);

struct open_core {
  shard_number shard = 0;
  epoch_number epoch = 0;
};
DEPOSITD_LOCAL(open_core);

/// See actors/cluster/keeper/keeper.hpp, which says what is inside.
struct core_opened {
  std::shared_ptr<cluster::opened_core> core;
};
DEPOSITD_LOCAL(core_opened);

struct close_core {
  std::shared_ptr<cluster::opened_core> core;
};
DEPOSITD_LOCAL(close_core);

} // namespace depositd
