#pragma once

// Stands for the shards where there are several: doors hold a router as they
// would hold a shard.

#include "actors/cluster/forwarding.hpp"
#include "messages/actors.hpp"

#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <functional>
#include <vector>

namespace depositd::cluster {

/// From the keeper: this core of ours has recovered. Answered when it has the
/// newest settings and may serve.
struct bring_up {
  shard_number shard = 0;
  shard_actor core;
};

struct router_options {
  forwarding_options to;
};

using router_actor = shards_actor::extend<
  caf::reacts_to<shard_placed>, caf::reacts_to<control_changed>,
  caf::reacts_to<request_tick>, caf::replies_to<bring_up>::with<done>>;

struct router_state {
  forwarding<shard_actor> to;
  control_snapshot control; ///< null: not known yet
  std::uint64_t revision = 0;
  caf::actor_addr watched;  ///< shard 0, which tells us changes
  std::vector<caf::strong_actor_ptr> watchers;
  std::vector<caf::typed_response_promise<done>> awaiting_ready;
  /// Settings that a shard has turned away for now: tried again.
  std::vector<std::function<void()>> unsettled;
  std::uint32_t turn = 0; ///< which shard a scattered poll asks first
  bool draining = false;

  static inline const char* name = "router";
};

using router_pointer = router_actor::stateful_pointer<router_state>;

/// Forwards to the owners of shards, here or elsewhere; asks all of them where
/// a request concerns all; spreads what shard 0 has decided to every shard.
router_actor::behavior_type router(router_pointer self,
                                   router_options options);

} // namespace depositd::cluster

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(depositd::cluster::bring_up)
