#pragma once

#include "actors/engine/grants.hpp"
#include "messages/actors.hpp"
#include "messages/shard.hpp"

#include <caf/typed_event_based_actor.hpp>

#include <memory>

namespace depositd::engine {

/// The door for producers and workers that speak CAF: passes on what the shard
/// may be asked from outside, and nothing else.
native_actor::behavior_type native(native_actor::pointer self,
                                   shard_doors_actor shard,
                                   std::shared_ptr<grants> given);

} // namespace depositd::engine
