#pragma once

// Asks the lease store for the keeper: those calls block.

#include "messages/actors.hpp"
#include "messages/cluster.hpp"
#include "messages/ports/shard_leases.hpp"

#include <caf/typed_event_based_actor.hpp>

#include <memory>

namespace depositd::cluster {

/// Blocks on the store: detached, but in tests.
lease_clerk_actor::behavior_type
lease_clerk(lease_clerk_actor::pointer self,
            std::shared_ptr<shard_leases> leases);

} // namespace depositd::cluster
