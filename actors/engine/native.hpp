#pragma once

#include "actors/engine/grants.hpp"
#include "messages/actor_with.hpp"
#include "messages/actors.hpp"
#include "messages/follow_control.hpp"
#include "messages/ports/request_quota.hpp"
#include "messages/shard.hpp"

#include <caf/typed_event_based_actor.hpp>

#include <chrono>
#include <memory>

namespace depositd::engine {

/// With what its follower says.
using native_self = native_actor::extend<caf::reacts_to<control_changed>>;

struct native_options {
  shard_doors_actor shard; ///< or the router to all
  std::shared_ptr<grants> given;
  request_quota quota; ///< counts with the other doors; null: nobody limits
  std::chrono::milliseconds request_timeout{30'000};
};

struct native_state {
  using interface = native_self;

  native_options options;
  control_snapshot control; ///< the newest; null: none yet

  static inline const char* name = "native_door";
};

/// The door for producers and workers that speak CAF: passes on what the shard
/// may be asked from outside, and nothing else. An `enqueue` is one request of
/// each user in it; `ec::quota_reached` if one of them has made as many as the
/// quota allows, and then nothing of it is taken.
native_self::behavior_type native(actor_with<native_state>* self,
                                  native_options options);

} // namespace depositd::engine
