#pragma once

#include "messages/actors.hpp"
#include "messages/shard.hpp"

#include <caf/typed_event_based_actor.hpp>

namespace depositd::engine {

/// The door for producers and workers that speak CAF: passes on what the shard
/// may be asked from outside, and nothing else. The asker is answered directly.
native_actor::behavior_type native(native_actor::pointer self,
                                   shard_doors_actor shard);

} // namespace depositd::engine
