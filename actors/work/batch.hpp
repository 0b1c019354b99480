#pragma once

#include "messages/actors.hpp"
#include "messages/work.hpp"

#include <caf/typed_event_based_actor.hpp>

namespace depositd::work {

/// One batch, for as long as something happens to it: it splits, counts,
/// reports, and is gone. What waits is a row of its user's, not an actor.
batch_actor::behavior_type batch(batch_actor::pointer self);

} // namespace depositd::work
