#pragma once

// No folder or bucket is used for two things.

#include "config/work_settings.hpp"

namespace depositd {

/// The first place that is inside another, or around it.
setting_fault check_apart(const depositd_settings& x);

} // namespace depositd
