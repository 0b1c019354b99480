#pragma once

// A body that goes on: whoever has something to say gives it from any thread,
// the server sends it as it comes.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace depositd::http {

class body_stream {
public:
  enum class written : std::uint8_t {
    taken,
    full, ///< nothing was taken: the client has yet to read what came before
    gone, ///< nobody reads any more, or it has ended
  };

  static constexpr std::size_t pending_bytes_max = 1024 * 1024;

  explicit body_stream(std::size_t bytes_max = pending_bytes_max)
    : bytes_max_(bytes_max) {
    // nop
  }

  // -- whoever speaks, on any thread

  /// Many streams may send the same text. One that is longer than all that may
  /// be pending is always `full`.
  written write(std::shared_ptr<const std::string> text);
  written write(std::string text);

  /// What was given still goes out.
  void end();

  /// Whether the client is known to be gone: it is found out by sending.
  bool gone() const;

  /// Called once, when the client has gone or has all of it, on some thread;
  /// at once if it was so before.
  void when_gone(std::function<void()> what);

  // -- the server

  /// Called on any thread when there is something to take, or the end.
  void attach(std::function<void()> ready);

  /// At most so many of the bytes that are pending; 0: none are there yet.
  /// Nothing at the end.
  std::optional<std::size_t> take(char* to, std::size_t bytes_max);

  /// Nobody takes anything any more.
  void leave();

private:
  void call_ready();

  const std::size_t bytes_max_;
  mutable std::mutex guard_; ///< of what follows; nothing is called under it
  std::deque<std::shared_ptr<const std::string>> pending_;
  std::size_t pending_bytes_ = 0;
  std::size_t first_taken_ = 0; ///< bytes of the first that is pending
  bool ended_ = false;
  bool gone_ = false;
  std::function<void()> ready_;
  std::function<void()> when_gone_;
};

} // namespace depositd::http
