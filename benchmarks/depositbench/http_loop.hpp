#pragma once

// A lean HTTP/1.1 client: one thread, one epoll, keep-alive connections with
// one request open on each. It shares the machine with the server it measures.

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace depositd::bench {

/// What one connection asks and does with the answers; called by the loop's
/// thread alone.
class conversation {
public:
  virtual ~conversation() = default;

  /// Appends the next request to an empty text; false: nothing for now, ask
  /// again at the next tick.
  virtual bool ask(std::string& request) = 0;

  /// The whole answer to what was asked.
  virtual void answered(int status, std::string_view body) = 0;

  /// The connection is of no use any more.
  virtual void broke(const std::string& why) = 0;
};

/// Pause between two questions whether there is something to ask.
inline constexpr auto loop_tick = std::chrono::milliseconds{1};

class http_loop {
public:
  /// `address` is HOST:PORT; throws std::runtime_error if it is none.
  explicit http_loop(const std::string& address);

  /// As `finish`.
  ~http_loop();

  http_loop(const http_loop&) = delete;
  http_loop& operator=(const http_loop&) = delete;

  /// Opens a connection for it. Throws std::runtime_error with the reason.
  void add(std::unique_ptr<conversation> x);

  /// Asks nothing more, waits for open answers (at most some seconds) and
  /// closes all connections.
  void finish();

private:
  struct connection;

  void run();
  void take_new();
  void ask_next(connection& x);
  void write_more(connection& x);
  void read_more(connection& x);
  bool take_answer(connection& x);
  void reconnect(connection& x);
  void drop(connection& x, const std::string& why);
  void watch(connection& x, bool writes);
  void ask_idle();
  void wake();

  std::string host_;
  std::uint16_t port_ = 0;
  int epoll_ = -1;
  int waker_ = -1;
  std::thread thread_;
  std::mutex mutex_; ///< of the next two
  std::vector<std::unique_ptr<connection>> new_;
  bool finishing_ = false;
  std::vector<std::unique_ptr<connection>> connections_;
  std::size_t open_ = 0;           ///< requests without an answer
  bool asking_ = true;
  std::vector<char> buffer_;
};

} // namespace depositd::bench
