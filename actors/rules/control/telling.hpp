#pragma once

// Of whose deposits somebody may have to be told.

#include "messages/values/control.hpp"

#include <cstdint>
#include <string>

namespace depositd::rules {

/// Whether deposits of this user may go on to the outbox when they are over:
/// there is one, and mail is sent here or the user is called back.
bool may_be_told(const control_state& state, const std::string& user);

/// The end of a deposit whose item goes on.
submission_ended deposit_end(item_finished x);

/// What becomes of a notification in place of its end.
struct kept_notification {
  item_released back;
  item_parked aside;
};

/// It failed after so many attempts: nobody could be told, which an operator
/// sees, and may have tried again.
kept_notification keep_aside(item_finished failed, std::uint32_t attempt);

} // namespace depositd::rules
