#pragma once

// Inside the server: what is known of a socket, and how far its request is.

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

namespace depositd::http {

class exchange;
class io_loop;

/// What a connection is doing; each has a time limit of its own.
enum class phase : std::uint8_t {
  idle,      ///< waits for a request line
  receiving, ///< the rest of a request comes in
  answering, ///< a handler or gate has it
  sending,   ///< the answer goes out
  doomed,    ///< ended by the server, waits to be closed
};

/// A phase and its deadline, changed as one: an I/O thread moves it on while
/// the housekeeper may end it.
class phase_clock {
public:
  using word = std::uint64_t;

  static std::int64_t now_ms() {
    using namespace std::chrono;
    const auto now = steady_clock::now().time_since_epoch();
    return duration_cast<milliseconds>(now).count();
  }

  static word make(phase what, std::int64_t deadline_ms) {
    return static_cast<word>(deadline_ms) << 3 | static_cast<word>(what);
  }

  static phase what(word x) {
    return static_cast<phase>(x & 7);
  }

  static std::int64_t deadline_ms(word x) {
    return static_cast<std::int64_t>(x >> 3);
  }

  word load() const {
    return now_.load(std::memory_order_acquire);
  }

  /// Moves on, unless the connection is doomed.
  bool enter(phase what, std::int64_t deadline_ms) {
    auto before = load();
    while (phase_clock::what(before) != phase::doomed)
      if (now_.compare_exchange_weak(before, make(what, deadline_ms)))
        return true;
    return false;
  }

  /// Replaces exactly what was seen.
  bool replace(word seen, word by) {
    return now_.compare_exchange_strong(seen, by);
  }

private:
  std::atomic<word> now_{0};
};

/// One socket. Lives from its acceptance until the library closes it.
struct connection {
  int socket = -1;
  io_loop* loop = nullptr; ///< whose thread serves it
  std::string peer;
  bool secure = false;
  bool over_limit = false; ///< answers 503 and ends
  bool lingers = false;    ///< refused early: its bytes are read to the end
  phase_clock clock;

  std::mutex guard; ///< of `current`
  std::shared_ptr<exchange> current;
};

} // namespace depositd::http
