#pragma once

#include "config/settings.hpp"

#include <string>

namespace depositd {

/// `node.name`, or else one made of the machine's name and this process: it
/// stays the same as long as the process lives, and so do its claims.
std::string node_name(const depositd_settings& settings);

} // namespace depositd
