#pragma once

// What is set of a user, and how it goes with them.

#include "messages/values/control.hpp"
#include "messages/values/events.hpp"

#include <string>
#include <vector>

namespace depositd::rules {

/// The events after which no setting names the user: account, contact, holds,
/// limits and quotas of every queue, and their keys. None: there was nothing.
std::vector<event> events_that_forget(const control_state& now,
                                      const std::string& user);

} // namespace depositd::rules
