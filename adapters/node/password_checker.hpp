#pragma once

// Passwords of operators who sign in over the node port.

#include "adapters/doors/kit/login_throttle.hpp"
#include "adapters/doors/kit/rate_limit.hpp"
#include "messages/actor_with.hpp"
#include "messages/actors.hpp"
#include "messages/operators.hpp"

#include <caf/typed_event_based_actor.hpp>

#include <cstdint>
#include <optional>

namespace depositd::node {

struct password_checker_options {
  std::uint32_t lines_per_second = 10; ///< of refusals in the log
};

struct password_checker_state {
  using interface = password_checker_actor;

  kit::login_throttle throttle;
  std::optional<kit::rate_limit> lines; ///< of refusals in the log

  static inline const char* name = "password_checker";
};

/// Answers `ec::throttled` while somebody has guessed too often. Blocks: must
/// be detached.
password_checker_actor::behavior_type
password_checker(actor_with<password_checker_state>* self,
                 const password_checker_options& options);

} // namespace depositd::node
