#pragma once

// Passwords of operators who sign in over the node port.

#include "adapters/doors/kit/login_throttle.hpp"
#include "adapters/doors/kit/rate_limit.hpp"
#include "messages/operators.hpp"
#include "messages/values/clock.hpp"

#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

namespace depositd::node {

struct password_checker_state {
  kit::login_throttle throttle;
  kit::rate_limit lines{10}; ///< of refusals in the log, in a second

  static inline const char* name = "password_checker";
};

/// Answers `ec::throttled` while somebody has guessed too often. Blocks: must
/// be detached.
password_checker_actor::behavior_type password_checker(
  password_checker_actor::stateful_pointer<password_checker_state> self);

} // namespace depositd::node
