#pragma once

// What the connections of one process share: limits, who is there, what is
// said about it in the log.

#include "adapters/doors/kit/turnstile.hpp"
#include "adapters/node/gate/peer_table.hpp"
#include "adapters/node/gate/tls.hpp"

#include <caf/actor_system.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

namespace depositd::gate {

class connection;

/// Lets so many lines through in a while and counts the others. One thread.
class line_budget {
public:
  using time_point = std::chrono::steady_clock::time_point;

  /// Whether there may be one more line; `missed` are those before it that
  /// there might not.
  bool take(time_point now, std::uint64_t& missed);

private:
  static constexpr int lines_max = 10;
  static constexpr std::chrono::seconds period{10};

  time_point since_;
  int lines_ = 0;
  std::uint64_t missed_ = 0;
};

/// What became of connections from outside. Any thread may read.
struct port_counts {
  std::atomic<std::uint64_t> accepted{0};
  std::atomic<std::uint64_t> finished{0}; ///< shook hands
  std::atomic<std::uint64_t> refused{0};  ///< no descriptor was left
  std::atomic<std::uint64_t> closed{0};   ///< for what they said or did not say
  std::atomic<std::uint64_t> skipped{0};  ///< messages that nobody got
  std::atomic<std::uint64_t> pauses{0};   ///< while nobody could be accepted
};

/// Only the thread of the sockets calls it, but for what says otherwise.
class port_core {
public:
  using time_point = std::chrono::steady_clock::time_point;

  port_core(caf::actor_system& system, const kit::arrival_limits& limits,
            admission admit, tls_context tls);

  // -- any thread -------------------------------------------------------------

  caf::actor_system& system() {
    return system_;
  }

  peer_table& peers() {
    return peers_;
  }

  /// What the next connections use; null: they are plain.
  tls_context tls() const;
  void use(tls_context x);

  caf::actor_id published() const {
    return published_;
  }

  void publish(caf::actor_id x) {
    published_ = x;
  }

  /// No two connections of a process have the same, nor has any socket: what
  /// CAF still remembers of one never meets another.
  std::uint64_t next_id() {
    return ++last_id_;
  }

  port_counts counts;

  // -- connections ------------------------------------------------------------

  kit::turnstile& limits() {
    return limits_;
  }

  void joined(std::uint64_t id, connection& x);
  void left(std::uint64_t id);

  /// Closes the connection, if it is still there.
  void close(std::uint64_t id, const std::string& why);

  using again_function = std::function<void()>;

  /// At the next look, if it is there then.
  void listen_later(std::weak_ptr<const again_function> again);

  /// Closes what has been silent or has not read for too long, and whoever has
  /// lost the right that they worked by; and has those listen who had to pause.
  void look(time_point now);

  /// A line, if not too many have been said of late.
  void say(const std::string& address, const std::string& why);

  /// Bytes of messages that have not come in wholly; false: too many.
  bool hold(std::size_t bytes);
  void let_go(std::size_t bytes);

private:
  caf::actor_system& system_;
  kit::turnstile limits_;
  peer_table peers_;
  mutable std::mutex guard_;
  tls_context tls_;
  std::atomic<caf::actor_id> published_{0};
  std::atomic<std::uint64_t> last_id_{std::uint64_t{1} << 32};
  std::unordered_map<std::uint64_t, connection*> connections_;
  std::vector<std::weak_ptr<const again_function>> pausing_;
  line_budget lines_;
  std::size_t held_ = 0;
};

} // namespace depositd::gate
