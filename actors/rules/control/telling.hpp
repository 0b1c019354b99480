#pragma once

// Of whose deposits somebody may have to be told.

#include "actors/rules/ledger/ledger.hpp"
#include "messages/values/control.hpp"

#include <optional>
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

/// A notification of this ledger has failed: nobody could be told, which an
/// operator sees, and may have tried again. Nothing if as many of the user's
/// are set aside as may be: then it just ends.
std::optional<kept_notification> keep_aside(const item_finished& failed,
                                            const ledger& from);

} // namespace depositd::rules
