#pragma once

// Names of hosts become addresses without holding up the loop that asks.

#include "adapters/doors/kit/loop.hpp"
#include "messages/values/endpoint.hpp"

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

class resolver {
public:
  using taker = std::function<void(addresses_found)>;

  /// Answers in this loop's thread. It must outlive whatever is asked.
  explicit resolver(kit::loop& answers) : answers_(answers) {
    // nop
  }

  ~resolver() {
    stop();
  }

  /// In the loop's thread. A number is answered before this returns; names are
  /// looked up one after the other, in a thread of their own.
  void find(const endpoint& where, taker then);

  /// Waits for what is being looked up. From another thread.
  void stop();

private:
  kit::loop& answers_;
  std::unique_ptr<kit::loop> labour_; ///< once there is a name
};

} // namespace depositd::nsq_lookup
