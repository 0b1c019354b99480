#pragma once

// The time by which locks of objects are taken and extended.

#include "messages/values/clock.hpp"

namespace depositd::merritt {

/// Microseconds since 1970: this machine's time when it was first asked for,
/// counted on from then. Any thread. By a clock that is set forward all that
/// others have locked would be free.
inline micros lock_time() {
  static const auto since_start = engine_clock::system();
  return since_start.now();
}

} // namespace depositd::merritt
