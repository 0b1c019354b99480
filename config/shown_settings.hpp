#pragma once

// What was set, for operators to see.

#include "actors/operators/admin.hpp"
#include "config/settings.hpp"

#include <vector>

namespace depositd {

/// Of each key that was given the value that counts, by key; none of what is
/// secret.
std::vector<operators::shown_setting>
shown_settings(const depositd_settings& settings);

} // namespace depositd
