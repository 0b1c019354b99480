#pragma once

// Whether this machine's clock was set while the engine ran.

#include "messages/values/types.hpp"

#include <chrono>
#include <optional>

namespace depositd {

/// Used by one thread.
class clock_watch {
public:
  /// What a clock may drift without anybody being told.
  static constexpr std::chrono::seconds off_max{5};

  /// Microseconds by which the wall clock is ahead of the time that was counted
  /// on since the start, if that differs from what was told last by more than
  /// `off_max`; else nothing.
  std::optional<micros> look(micros wall_us, micros counted_us);

  /// The same of this machine's clocks now, with a line in the log.
  void look_and_log(micros counted_us);

private:
  micros told_us_ = 0;
};

} // namespace depositd
