#pragma once

// Inside the server: one instance of libmicrohttpd, driven in a loop.
//
// The library's own threads lose time: when exactly 128 sockets are ready at
// once, 0.9.75 waits for one more event before it looks at any of them. Driven
// from outside it never waits at all.

#include "adapters/doors/http/arrivals.hpp"
#include "adapters/doors/kit/deadlines.hpp"
#include "adapters/doors/kit/lingering.hpp"
#include "adapters/doors/kit/loop.hpp"

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <unordered_set>

struct MHD_Daemon;

namespace depositd::http {

class io_loop {
  const std::unique_ptr<kit::loop> loop_;

public:
  /// `tick` is how often deadlines are looked at.
  io_loop(std::unique_ptr<kit::loop> loop, std::chrono::milliseconds tick);
  ~io_loop();

  /// Begins to drive the instance, and owns it from now on. `after_round` is
  /// called after each look at the sockets; may be null.
  void start(MHD_Daemon* daemon, std::function<void()> after_round);

  /// Lets the thread look again: a connection was resumed. The library says so
  /// by itself, but may take back what it said before it looks. Any thread.
  void notice();

  /// Closes the listening socket; connections go on.
  void stop_listening();

  /// Ends all connections and the thread. Nothing may be suspended any more.
  void stop();

  kit::loop::time now() const {
    return loop_->now();
  }

  /// What a function of the open connections says, asked in their thread.
  template <class F>
  auto compute(F what) {
    return kit::compute_in(*loop_, [&] { return what(connections.open()); });
  }

  /// Which look at the sockets this is.
  std::uint64_t round() const {
    return round_;
  }

  kit::deadlines connections; ///< all that are open
  kit::lingering ended;       ///< too early for their clients
  arrivals arriving;          ///< those that have not made a request yet
  /// Those whose request line has come, and the rest of the head has not.
  std::unordered_set<connection*> in_heads;

private:
  void look();
  void keep_looking();

  std::function<void()> after_round_;
  MHD_Daemon* daemon_ = nullptr;
  std::uint64_t round_ = 0;
  std::atomic<bool> noticed_{false};
  bool stopped_ = false;
};

} // namespace depositd::http
