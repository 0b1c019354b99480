#pragma once

// Whom an engine knows without a register of operators.

#include "actors/rules/access/access.hpp"
#include "config/settings.hpp"

#include <cstdint>
#include <string>

namespace depositd {

/// The account of this process and the settings; its certificate is the node
/// port's.
rules::access::own_people own_people_of(const depositd_settings& settings);

/// Of a user of this machine; empty: has none. Asks the system once for each.
std::string account_name(std::uint32_t user);

/// A line of the log that says what it means if root runs the engine.
void warn_of_root();

} // namespace depositd
