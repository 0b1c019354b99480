#pragma once

// The part of a backup that may take hours.

#include "messages/actors.hpp"

#include <caf/typed_event_based_actor.hpp>

namespace depositd::operators {

struct object_copier_options {};

/// Blocks on the objects, so wiring spawns it detached, when it is needed.
object_copier_actor::behavior_type
object_copier(object_copier_actor::pointer self, object_copier_options options);

} // namespace depositd::operators
