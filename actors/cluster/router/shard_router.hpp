#pragma once

// Stands for the shards where there are several: doors hold a router as they
// would hold a shard.

#include "actors/cluster/forwarding.hpp"
#include "messages/actor_with.hpp"
#include "messages/actors.hpp"
#include "messages/operators.hpp"
#include "messages/projection.hpp"
#include "messages/receiving.hpp"
#include "messages/records.hpp"
#include "messages/shard.hpp"
#include "messages/sources.hpp"
#include "messages/topics.hpp"

#include <caf/typed_event_based_actor.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <vector>

namespace depositd::cluster {

struct shard_router_options {
  forwarding_options to;
  /// A shard without an owner for longer than this is trouble.
  std::chrono::milliseconds lease{15'000};
};

/// Settings that a shard has to get, and who waits for that.
struct settling {
  struct change {
    std::uint64_t revision = 0;
    caf::actor_clock::time_point until;
    std::function<void(caf::expected<done>)> then;
  };

  std::vector<change> waiting;
  bool asked = false; ///< the shard has got some, or is to, and has to answer
};

using shard_router_self =
  shard_router_actor::extend<caf::reacts_to<request_tick>>;

struct shard_router_state {
  using interface = shard_router_self;
  using owner = shard_actor;

  shard_router_options options;
  forwarding to;
  /// By shard: when it was last seen to have an owner, or we began.
  std::vector<caf::actor_clock::time_point> owned_at;
  bool leases_reached = true;
  control_snapshot control; ///< null: not known yet
  std::uint64_t revision = 0;
  caf::actor_addr watched;  ///< shard 0, which tells us changes
  std::vector<caf::strong_actor_ptr> watchers;
  std::vector<caf::typed_response_promise<done>> awaiting_ready;
  /// By shard. Changes that come while it has not answered go together.
  std::map<shard_number, settling> unsettled;
  std::uint32_t turn = 0; ///< which shard a scattered receiver asks first
  bool draining = false;

  static inline const char* name = "shard_router";
};

using shard_router_pointer = actor_with<shard_router_state>*;

/// Forwards to the owners of shards, here or elsewhere; asks all of them where
/// a request concerns all; spreads what shard 0 has decided to every shard.
shard_router_self::behavior_type shard_router(shard_router_pointer self,
                                              shard_router_options options);

} // namespace depositd::cluster
