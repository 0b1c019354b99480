#pragma once

// What a changed configuration changes of what is set.

#include "messages/values/control.hpp"
#include "messages/values/control_events.hpp"
#include "messages/values/events.hpp"

#include <vector>

namespace depositd::rules {

/// Events that carry a changed configuration into the control state. A queue
/// that is there keeps its kind; what the configuration says of another kind of
/// queue is not for it.
std::vector<event> configuration_changes(const control_state& state,
                                         const configuration_seen& seen);

} // namespace depositd::rules
