#pragma once

// Clocks that were wrong at the start.

#include <chrono>

namespace depositd {

/// Nothing that is kept for some time goes within so long of a start: by then
/// somebody has set right a clock that was ahead.
inline constexpr std::chrono::hours grace_after_start{1};

} // namespace depositd
