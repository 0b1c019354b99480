#pragma once

// The register of operators, and their API tokens.

#include "messages/values/control.hpp"
#include "messages/values/errors.hpp"

#include <string>
#include <string_view>

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

/// What the holder of a token shows afterwards, in place of a password's hash.
std::string proof_of_token(const std::string& digest);

/// Whether what let an operator in would do so at this time: the hash of the
/// password, or the proof of a token; empty: nothing had to.
/// `ec::wrong_credentials` with the reason.
caf::error check_proof(const control_state& state, const operator_changed& as,
                       std::string_view proof, micros now);

} // namespace depositd::rules
