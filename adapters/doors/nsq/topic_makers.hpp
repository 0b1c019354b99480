#pragma once

// How many topics and channels each user has made through NSQ's doors, so that
// nobody takes up all that a shard may have.

#include "messages/values/control.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <unordered_map>

namespace depositd::nsq {

/// Counts since the start of the engine, of what is still there. All of NSQ's
/// doors share one. Any thread.
class topic_makers {
public:
  using time = std::chrono::steady_clock::time_point;

  /// `each_max`: topics and channels of one user together; 0: no limit.
  explicit topic_makers(std::uint32_t each_max = 0) : each_max_(each_max) {
    // nop
  }

  /// Whether the user may name them, which makes what is not there; that counts
  /// then. An empty channel: the topic alone. What was never made, or is not
  /// there any more, counts for `keep` at least.
  bool may_make(const control_state& known, const std::string& user,
                const std::string& topic, const std::string& channel, time now);

  /// Until the doors know of what the shard has made, and a little longer.
  static constexpr std::chrono::seconds keep{60};

private:
  using made = std::unordered_map<std::string, time>; ///< by name of the queue

  bool count(const control_state& known, const std::string& user,
             const std::string& queue, time now);
  void forget_gone(const control_state& known, time now, made& of);

  const std::uint32_t each_max_;
  std::mutex guard_;
  std::unordered_map<std::string, made> by_user_;
  std::size_t all_ = 0; ///< of all users
};

} // namespace depositd::nsq
