#pragma once

// The register of operators, and their API tokens.

#include "messages/values/control.hpp"
#include "messages/values/errors.hpp"

#include <string>

namespace depositd::rules {

/// Whether such a change can be made of what is set. `ec::not_found`, or
/// `ec::invalid_argument` with what is wrong.
caf::error check_operator(const control_state& state,
                          const operator_changed& x);
caf::error check_operator(const control_state& state,
                          const operator_token_changed& x);

/// Whose token has this digest and holds at this time; null: nobody's. Looks at
/// all of them.
const operator_changed* holder_of_token(const control_state& state,
                                        const std::string& digest, micros now);

} // namespace depositd::rules
