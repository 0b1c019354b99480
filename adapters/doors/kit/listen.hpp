#pragma once

// Listening sockets, and who may come.

#include "messages/values/endpoint.hpp"
#include "messages/values/errors.hpp"

#include <atomic>
#include <cstdint>
#include <string>

struct sockaddr;

namespace depositd::kit {

/// A socket that listens, and where.
struct listener {
  int socket = -1; ///< owned by whoever takes it
  std::uint16_t port = 0;
  std::string address; ///< host:port, the port actually taken
};

/// Listens there. `ec::bad_setting` otherwise, with a text that names the
/// address.
caf::expected<listener> listen_at(const endpoint& where);

/// Files that no door's connections may take: for stores, logs, the loops of
/// threads, brokers, and some to spare. An engine with all of it has 60 open.
inline constexpr std::uint64_t descriptors_held_back = 96;

/// How many connections one door may serve when so many are wanted: half of
/// what all doors may have, at most.
std::uint32_t connections_possible(std::uint32_t wanted);

/// The address as text, without the port; empty if there is none.
std::string numeric_address(const sockaddr* from);

/// Counts the connections of a door. Any thread.
class connection_limit {
public:
  /// As many as possible, and `wanted` at most.
  void set(std::uint32_t wanted) {
    max_ = connections_possible(wanted);
  }

  std::uint32_t max() const {
    return max_;
  }

  /// One comes; false if it is one too many. It counts until it leaves.
  bool enter() {
    ++total_;
    return ++now_ <= max_;
  }

  void leave() {
    --now_;
  }

  std::uint64_t now() const {
    return now_;
  }

  /// All that have come.
  std::uint64_t total() const {
    return total_;
  }

private:
  std::uint32_t max_ = 0;
  std::atomic<std::uint64_t> now_{0};
  std::atomic<std::uint64_t> total_{0};
};

} // namespace depositd::kit
