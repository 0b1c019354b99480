#pragma once

// Names of hosts become addresses without holding up the loop that asks, or
// whoever shuts it down.

#include "adapters/doors/kit/loop.hpp"
#include "messages/values/endpoint.hpp"

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <sys/socket.h>

namespace depositd::nsq_lookup {

/// Where to connect to.
struct address {
  sockaddr_storage bytes{};
  socklen_t size = 0;
};

struct addresses_found {
  std::vector<address> all;
  std::string why; ///< if there is none
};

/// Asks the system for a name. Blocks, as long as it likes.
addresses_found look_up_name(const endpoint& where);

struct resolver_options {
  std::chrono::milliseconds within{10'000}; ///< then there is no answer
  std::size_t waiting_max = 200; ///< names that wait; more are refused
  std::size_t threads_max = 2;   ///< that look up names at one time
  std::function<addresses_found(const endpoint&)> look_up = look_up_name;
};

class resolver {
public:
  using taker = std::function<void(addresses_found)>;

  /// Answers in this loop's thread, which must not end before `stop`.
  explicit resolver(kit::loop& answers, resolver_options how = {});
  ~resolver();

  resolver(const resolver&) = delete;
  resolver& operator=(const resolver&) = delete;

  /// In the loop's thread; `then` runs once, unless it is stopped before. A
  /// number is answered before this returns, and so is a name if too many wait.
  void find(const endpoint& where, taker then);

  /// Nobody is answered any more. Returns at once: what is being looked up goes
  /// on by itself, and is forgotten. Any thread.
  void stop();

private:
  struct desk;

  kit::loop& loop_;
  std::shared_ptr<desk> desk_;
};

} // namespace depositd::nsq_lookup
