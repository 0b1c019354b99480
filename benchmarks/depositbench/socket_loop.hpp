#pragma once

// A lean client of sockets: one thread, one epoll. What a connection says and
// understands is its conversation's. It shares the machine with the server it
// measures.

#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace depositd::bench {

/// What a conversation wants to say: nothing for now (it is asked again at the
/// next tick), something that has no answer, or something that has one.
enum class asked : std::uint8_t { nothing, one_way, question };

/// What became of bytes that were received.
struct taken {
  std::size_t bytes = 0; ///< from the beginning; they are not shown again
  bool answered = false; ///< the open question is
  std::string wrong;     ///< not empty: why nothing of it is understood
};

/// What one connection says and does with what it hears; called by the loop's
/// thread alone.
class conversation {
public:
  virtual ~conversation() = default;

  /// Appends what is to be sent to an empty text. Not called while a question
  /// is open.
  virtual asked next(std::string& request) = 0;

  /// What was received and not taken yet.
  virtual taken take(std::string_view received) = 0;

  /// Whether the other side may close it when nothing is open; it is opened
  /// again when there is something to say.
  virtual bool may_close() const = 0;

  /// The connection is of no use any more.
  virtual void broke(const std::string& why) = 0;
};

/// Pause between two looks whether there is something to say.
inline constexpr auto loop_tick = std::chrono::milliseconds{1};

class socket_loop {
public:
  /// `address` is HOST:PORT; throws std::runtime_error if it is none.
  explicit socket_loop(const std::string& address);

  /// As `finish`.
  ~socket_loop();

  socket_loop(const socket_loop&) = delete;
  socket_loop& operator=(const socket_loop&) = delete;

  /// Opens a connection for it. Throws std::runtime_error with the reason.
  void add(std::unique_ptr<conversation> x);

  /// Says nothing more, waits for open answers (at most some seconds) and
  /// closes all connections.
  void finish();

private:
  struct connection;

  void run();
  void take_new();
  void ask_next(connection& x);
  void write_more(connection& x);
  void read_more(connection& x);
  void take_received(connection& x);
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
  std::size_t open_ = 0; ///< questions without an answer
  bool asking_ = true;
  std::vector<char> buffer_;
};

} // namespace depositd::bench
