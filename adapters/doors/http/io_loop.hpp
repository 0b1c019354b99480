#pragma once

// Inside the server: a thread that drives one instance of libmicrohttpd.
//
// The library's own threads lose time: when exactly 128 sockets are ready at
// once, 0.9.75 waits for one more event before it looks at any of them. Driven
// from outside it never waits at all.

#include <atomic>
#include <functional>
#include <thread>

struct MHD_Daemon;

namespace depositd::http {

class io_loop {
public:
  io_loop();
  ~io_loop();

  /// Begins to drive the instance, and owns it from now on. `after_round` is
  /// called after each look at the sockets; may be null.
  void start(MHD_Daemon* daemon, std::function<void()> after_round);

  /// Lets the thread look again: a connection was resumed. The library says so
  /// by itself, but may take back what it said before it looks. Any thread.
  void notice();

  /// Closes the listening socket; connections go on.
  void stop_listening();

  /// Ends the thread and all connections. Nothing may be suspended any more.
  void stop();

private:
  void run();

  MHD_Daemon* daemon_ = nullptr;
  std::function<void()> after_round_;
  int event_;
  std::atomic<bool> noticed_{false};
  std::atomic<bool> quiet_{false};
  std::atomic<bool> stopping_{false};
  std::thread thread_;
};

} // namespace depositd::http
