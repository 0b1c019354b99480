#pragma once

// Inside the server: the connections of one loop.

#include "adapters/doors/http/arrivals.hpp"
#include "adapters/doors/http/response_text.hpp"
#include "adapters/doors/kit/deadlines.hpp"
#include "adapters/doors/kit/lingering.hpp"
#include "adapters/doors/kit/loop.hpp"

#include <functional>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

struct sockaddr;

namespace depositd::http {

class exchange;

class io_loop {
  const std::unique_ptr<kit::loop> loop_;

public:
  /// What is done in the loop's thread.
  struct events {
    /// A client has come; the socket is the function's.
    std::function<void(int socket, const sockaddr* from)> arrived;
    /// A connection is about to go.
    std::function<void(connection&)> gone;
    /// After each look at the sockets; may be null.
    std::function<void()> after_round;
  };

  /// `tick` is how often deadlines are looked at.
  io_loop(std::unique_ptr<kit::loop> loop, std::chrono::milliseconds tick);
  ~io_loop();

  /// Begins to listen; the socket is the loop's from now on.
  void start(int listener, events what);

  /// Closes the listening socket; connections go on.
  void stop_listening();

  /// Ends all connections and the thread.
  void stop();

  /// Has the exchange resume. Any thread.
  void resume(std::shared_ptr<exchange> x);

  // -- in its thread

  connection& add(std::unique_ptr<connection> x);

  /// Destroys it after this look.
  void end(connection& x) noexcept;

  void watch(int socket, kit::interest in, kit::loop::task ready) {
    loop_->watch(socket, in, std::move(ready));
  }

  void unwatch(int socket) {
    loop_->unwatch(socket);
  }

  /// Has it look at its sockets, and do what comes after that. From any thread.
  void wake() {
    loop_->post(nullptr);
  }

  kit::loop::time now() const {
    return loop_->now();
  }

  /// What a function of the open connections says, asked in their thread.
  template <class F>
  auto compute(F what) {
    return kit::compute_in(*loop_, [&] { return what(connections.open()); });
  }

  kit::deadlines connections; ///< all that are open
  kit::lingering ended;       ///< too early for their clients
  arrivals arriving;          ///< those that have not made a request yet
  date_line date;

private:
  void look();
  void keep_looking();
  void listen();
  void accept_some();
  void resume_all();
  void remove(connection& x);

  events events_;
  int listener_ = -1;
  std::unordered_map<connection*, std::unique_ptr<connection>> open_;
  std::vector<connection*> ended_; ///< has room for all that are open
  std::mutex guard_; ///< of what follows
  std::vector<std::shared_ptr<exchange>> resumed_;
  bool stopped_ = false;
};

} // namespace depositd::http
