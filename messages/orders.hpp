#pragma once

// What doors and operators say to the desk that takes orders, and to whoever
// queues what is due. All of it stays in the process.

#include "messages/message.hpp"
#include "messages/values/orders.hpp"
#include "messages/values/reconcilers.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace depositd {

/// Whose objects somebody may touch; empty: all.
struct order_limits {
  std::vector<std::string> users;
  std::vector<std::string> collections;
};

/// An order about one object. Not a deletion, which has to be asked for.
/// `ec::not_found`: no such object or file, or none of theirs;
/// `ec::already_exists`: another order of it is not finished.
struct place_order {
  preservation_order what;
  std::string source; ///< http, shell
  order_limits limits;
};
DEPOSITD_LOCAL(place_order);

struct order_placed {
  item_id batch = 0;
  batch_info info;
  std::string user;
};
DEPOSITD_LOCAL(order_placed);

/// Objects of one user that somebody wants deleted.
struct ask_deletion {
  std::vector<std::string> objects;
  std::string asked_by;
  std::string reason;
  order_limits limits;
};
DEPOSITD_LOCAL(ask_deletion);

struct deletion_asked {
  deletion_changed request;
};
DEPOSITD_LOCAL(deletion_asked);

/// Queue now what this query finds due, whatever the time is.
struct queue_due {
  due_query what = due_query::fixity_due;
  /// Of deletions: requests that are durable as they are here. Where there are
  /// several shards, whoever queues may hear of them a moment later.
  std::vector<deletion_changed> approved = {};
};
DEPOSITD_LOCAL(queue_due);

struct due_queued {
  std::uint64_t batches = 0;
  std::uint64_t files = 0;   ///< of fixity checks
  std::uint64_t waiting = 0; ///< batches that meet one which is not finished
};
DEPOSITD_LOCAL(due_queued);

/// To itself: it is time for the reconciler with this number.
struct reconcile {
  std::size_t which = 0;
};
DEPOSITD_LOCAL(reconcile);

} // namespace depositd
