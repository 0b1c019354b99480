#pragma once

// Bounds how long a program takes to end.

#include <atomic>
#include <chrono>
#include <functional>
#include <string>
#include <thread>

namespace depositd {

/// Ends the program if it was told to end and does not, or is told again. In
/// every thread SIGTERM and SIGINT are blocked.
class stop_watch {
public:
  /// `end` gets why, in a thread of its own, and does not return.
  explicit stop_watch(std::function<void(const std::string& why)> end);

  /// All has ended in time.
  ~stop_watch();

  stop_watch(const stop_watch&) = delete;
  stop_watch& operator=(const stop_watch&) = delete;

  /// From now on, once.
  void begin(std::chrono::milliseconds most);

private:
  void watch(std::chrono::milliseconds most);

  const std::function<void(const std::string&)> end_;
  std::atomic<bool> over_ = false;
  std::thread thread_;
};

} // namespace depositd
