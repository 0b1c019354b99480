#pragma once

// The engine's time: the wall clock read once, moved on by a steady clock, so
// that a clock set back or forward while the engine runs neither renews nor
// expires anything. In tests CAF's test clock drives it.

#include "messages/values/types.hpp"

#include <chrono>

namespace depositd {

class engine_clock {
public:
  using steady = std::chrono::steady_clock;

  /// `wall_us` is the wall clock's time at the steady clock's `at`.
  engine_clock(micros wall_us, steady::time_point at)
    : wall_us_(wall_us), at_(at) {
    // nop
  }

  /// Reads both clocks of this machine.
  static engine_clock system() {
    using namespace std::chrono;
    const auto wall = system_clock::now().time_since_epoch();
    return {duration_cast<microseconds>(wall).count(), steady::now()};
  }

  micros at(steady::time_point now) const {
    using namespace std::chrono;
    return wall_us_ + duration_cast<microseconds>(now - at_).count();
  }

  /// Time on this machine's steady clock, for threads outside actors.
  micros now() const {
    return at(steady::now());
  }

private:
  micros wall_us_;
  steady::time_point at_;
};

} // namespace depositd
