#pragma once

// Settings that are legal, and that somebody may have meant otherwise.

#include "config/settings.hpp"

#include <string>
#include <vector>

namespace depositd {

/// What they let in, one line each; they are logged at each start.
std::vector<std::string> remarks_on(const depositd_settings& x);

} // namespace depositd
