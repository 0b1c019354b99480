#pragma once

#include "messages/actors.hpp"
#include "messages/work.hpp"

#include <caf/typed_event_based_actor.hpp>

namespace depositd::work {

/// One job, for as long as something happens to it: it decides a move and is
/// gone. What waits is a row of its user's, not an actor.
job_actor::behavior_type job(job_actor::pointer self);

} // namespace depositd::work
