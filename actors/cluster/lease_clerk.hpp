#pragma once

// Asks the lease store for the keeper: those calls block.

#include "messages/message.hpp"
#include "messages/ports/shard_leases.hpp"

#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <memory>
#include <optional>
#include <vector>

namespace depositd::cluster {

/// Looks who owns what, after a renewal if it is time for one.
struct look_at_leases {
  bool renew = false;
  std::uint32_t lease_ms = 0;
};

struct leases_seen {
  bool renewed = false;
  std::vector<shard_number> ours; ///< if `renewed`
  lease_table table;
};

struct take_lease {
  shard_number shard = 0;
  std::uint32_t lease_ms = 0;
};

struct lease_taken {
  epoch_number epoch = 0; ///< 0: another engine has it
};

struct release_lease {
  shard_number shard = 0;
};

/// We own nothing and take part no longer.
struct leave_engines {};

using lease_clerk_actor
  = caf::typed_actor<caf::replies_to<look_at_leases>::with<leases_seen>,
                     caf::replies_to<take_lease>::with<lease_taken>,
                     caf::replies_to<release_lease>::with<done>,
                     caf::replies_to<leave_engines>::with<done>>;

/// Blocks on the store: detached, but in tests.
lease_clerk_actor::behavior_type
lease_clerk(lease_clerk_actor::pointer self,
            std::shared_ptr<shard_leases> leases);

} // namespace depositd::cluster

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(depositd::cluster::look_at_leases)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(depositd::cluster::leases_seen)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(depositd::cluster::take_lease)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(depositd::cluster::lease_taken)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(depositd::cluster::release_lease)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(depositd::cluster::leave_engines)
