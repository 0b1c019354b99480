#pragma once

#include <thread>

namespace depositd {

/// Throws `std::system_error` while the machine has no thread for us. Is asked
/// before an actor is spawned that has one of its own: CAF 0.17.6 counts it
/// before it finds out, and waits for it at the end.
inline void look_for_thread() {
  std::thread{[] {}}.join();
}

} // namespace depositd
