#pragma once

// Lets a program be ended while it starts.

#include <functional>
#include <thread>

namespace depositd {

/// Looks for SIGTERM and SIGINT, which are blocked in every thread, until it is
/// destroyed. One that comes too late for that stays pending.
class start_watch {
public:
  /// `end` gets the signal, in a thread of its own, and does not return.
  explicit start_watch(std::function<void(int signal)> end);

  /// The program has started.
  ~start_watch();

  start_watch(const start_watch&) = delete;
  start_watch& operator=(const start_watch&) = delete;

private:
  void watch();

  const std::function<void(int)> end_;
  const int signals_;
  const int started_;
  std::thread thread_;
};

} // namespace depositd
