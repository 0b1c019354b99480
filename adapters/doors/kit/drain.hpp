#pragma once

#include <chrono>
#include <thread>

namespace depositd::kit {

/// How a door ends: it takes nothing new, those in work may end until a time,
/// and then they are ended. Asks `busy` until it says no; whether it did in
/// time.
template <class F>
bool wait_while(F busy, std::chrono::steady_clock::time_point until) {
  while (busy()) {
    if (std::chrono::steady_clock::now() >= until)
      return false;
    std::this_thread::sleep_for(std::chrono::milliseconds{2});
  }
  return true;
}

} // namespace depositd::kit
