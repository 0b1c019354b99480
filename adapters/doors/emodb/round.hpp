#pragma once

// Small requests of many clients that one look at the sockets has brought:
// they go to the shard together, so that the way through the actors and the
// journal is walked once for all of them.

#include "adapters/doors/emodb/gateway.hpp"
#include "adapters/doors/http/responder.hpp"
#include "messages/actors.hpp"

#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

namespace depositd::emodb {

class round {
public:
  round(gateway& asked, shard_receiving_actor shard);

  /// One message for a queue. `queue` is the core's name, here and below.
  void send(std::string queue, new_item item, http::responder answer);

  /// Messages that are done.
  void acknowledge(std::string queue, std::vector<settle_items::one> items,
                   http::responder answer);

  /// A poll; what it gets is one of several parts of the answer.
  void take(receive_items what, http::responder answer);

  /// Sends what has come together; asked after every look at the sockets.
  void flush();

private:
  struct sends {
    enqueue what;
    std::vector<http::responder> answers; ///< one per item
  };
  struct ends {
    settle_items what;
    std::vector<http::responder> answers;
  };
  struct takes {
    receive_items what;
    std::vector<std::uint32_t> limits;
    std::vector<http::responder> answers; ///< one per limit
  };

  void go(sends&& x);
  void go(ends&& x);
  void go(takes&& x);

  template <class Group, class Fits>
  Group& group_for(std::vector<Group>& groups, Fits fits);

  gateway& asked_;
  const shard_receiving_actor shard_;

  std::mutex guard_; // of what follows; held for moments
  std::vector<sends> sends_;
  std::vector<ends> ends_;
  std::vector<takes> takes_;
};

/// The answer to a poll: items of `all` from `from` on.
http::response polled(const std::vector<received_item>& all, std::size_t from,
                      std::size_t count, std::string_view queue);

} // namespace depositd::emodb
