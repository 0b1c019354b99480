#pragma once

// Operators' changes as decisions: what is set now and the arguments in, the
// control events and both sides of the change out. Pure functions.

#include "actors/operators/arguments.hpp"
#include "actors/operators/documents.hpp"

#include "messages/values/control.hpp"
#include "messages/values/events.hpp"

#include <string>
#include <vector>

namespace depositd::operators {

/// What to propose; nothing if everything is so already.
struct admin_change {
  std::vector<event> events;
  document before;
  document after; ///< also the answer
};

/// Whether the command changes settings, i.e. `decide_change` knows it.
bool is_change(const std::string& command);

/// `ec::invalid_argument`, `ec::not_found` or `ec::already_exists` with a text.
caf::expected<admin_change> decide_change(const std::string& command,
                                          admin_arguments& arguments,
                                          const control_state& now);

} // namespace depositd::operators
