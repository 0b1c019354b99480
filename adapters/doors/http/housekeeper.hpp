#pragma once

// Inside the server: ends what takes too long, and keeps sockets that were
// refused early open until the client has read the answer.

#include "adapters/doors/http/connection.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <unordered_set>
#include <vector>

namespace depositd::http {

class housekeeper {
public:
  /// `tick` is how often deadlines are looked at.
  explicit housekeeper(std::chrono::milliseconds tick);
  ~housekeeper();

  void add(connection* x);

  /// Must be called before the socket is closed. If the connection lingers or
  /// has unread bytes, a copy of its socket is drained: closing it at once
  /// would reset it, and the client might never see the answer.
  void remove(connection* x);

  /// For each open connection, under a lock that keeps it open.
  void each(const std::function<void(connection&)>& show);

  std::uint64_t expired() const noexcept {
    return expired_;
  }

  /// Ends the thread and closes what lingers.
  void stop();

private:
  struct lingering {
    int socket = -1;
    std::int64_t until_ms = 0;
    std::uint64_t bytes = 0;
  };

  void run();
  void expire(connection& x, phase_clock::word seen);
  void drain(std::vector<lingering>& from);
  void wake();

  const std::chrono::milliseconds tick_;
  int event_ = -1;
  std::atomic<bool> stopping_{false};
  std::atomic<std::uint64_t> expired_{0};
  std::mutex guard_; ///< of the two below
  std::unordered_set<connection*> open_;
  std::vector<lingering> arrived_;
  std::thread thread_;
};

} // namespace depositd::http
