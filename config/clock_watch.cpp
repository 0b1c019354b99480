#include "config/clock_watch.hpp"

#include "messages/values/clock.hpp"

#include <spdlog/spdlog.h>

#include <cstdlib>

namespace depositd {

std::optional<micros> clock_watch::look(micros wall_us, micros counted_us) {
  using std::chrono::microseconds;
  const auto off_us = wall_us - counted_us;
  if (std::abs(off_us - told_us_) <= microseconds{off_max}.count())
    return std::nullopt;
  told_us_ = off_us;
  return off_us;
}

void clock_watch::look_and_log(micros counted_us) {
  if (const auto off_us = look(engine_clock::system().now(), counted_us))
    spdlog::warn("clock_set ahead_ms={} reason=\"this machine's clock was set: "
                 "claims, delays and times of what comes go on as they were "
                 "counted since the start\"",
                 *off_us / 1000);
}

} // namespace depositd
