#pragma once

// The quota of requests per second, as whoever is asked for something meets
// it: one count of a user for all ways in.

#include "messages/values/control.hpp"

#include <chrono>
#include <functional>
#include <string>

namespace depositd {

/// Whether the user may make one more request about the queue at that time; if
/// so, it counts. The state says how many there may be. Any thread.
using request_quota = std::function<bool(
  const control_state& known, const std::string& queue, const std::string& user,
  std::chrono::steady_clock::time_point now)>;

} // namespace depositd
