#pragma once

// Stands for the projectors where there are several shards.

#include "actors/cluster/forwarding.hpp"
#include "messages/actor_with.hpp"
#include "messages/actors.hpp"
#include "messages/projection.hpp"

#include <caf/typed_event_based_actor.hpp>

namespace depositd::cluster {

using projection_router_self =
  projection_router_actor::extend<caf::reacts_to<request_tick>>;

struct projection_router_state {
  using interface = projection_router_self;
  using owner = projector_actor;

  forwarding to;

  static inline const char* name = "projection_router";
};

/// Asks the projector of the shard that has what is asked for, here or on
/// another engine; all of them if any may have it.
projection_router_self::behavior_type
projection_router(actor_with<projection_router_state>* self,
                  forwarding_options options);

} // namespace depositd::cluster
