#pragma once

// The map, continued: actors of engines that share the shards.

#include "messages/message.hpp"

#include <caf/replies_to.hpp>
#include <caf/typed_actor.hpp>

namespace depositd {

/// Stands for the shards where there are several: whoever asks holds it as they
/// would hold a shard.
using shard_router_actor = shards_actor::extend<
  // From the keeper: who has a shard now.
  caf::reacts_to<struct shard_placed>,
  // From the keeper: without leases nobody is ready.
  caf::reacts_to<struct leases_reached>,
  // From the owner of shard 0: what operators have set.
  caf::reacts_to<struct control_changed>,
  // From a shard of ours that has recovered: what it must know before it
  // serves. Asks shard 0, as long as that takes to get an owner.
  caf::replies_to<struct fetch_newest>::with<struct control_changed>>;

/// Stands for the projectors where there are several shards.
using projection_router_actor = read_model_actor::extend<
  // From the keeper: who has a shard now.
  caf::reacts_to<struct shard_placed>>;

/// Takes and gives up the leases of this engine, with a core for each.
using shard_keeper_actor = caf::typed_actor<
  // An owner was not one: look at once.
  caf::reacts_to<struct look_now>,
  // Another engine has connected to us.
  caf::reacts_to<struct meet_engine>,
  // Hand everything over and take nothing more. Answered when nothing is ours.
  caf::replies_to<struct leave_shards>::with<done>,
  // Who has which shard, for operators.
  caf::replies_to<struct list_shards>::with<struct shards_listed>,
  // The other engines, to ask them for operators what only they know.
  caf::replies_to<struct list_admins>::with<struct admins_listed>>;

/// Asks the lease store for the keeper: those calls block.
using lease_clerk_actor = caf::typed_actor<
  // Who owns what, after a renewal if it is time for one.
  caf::replies_to<struct look_at_leases>::with<struct leases_seen>,
  caf::replies_to<struct take_lease>::with<struct lease_taken>,
  caf::replies_to<struct release_lease>::with<done>,
  // We own nothing and take part no longer.
  caf::replies_to<struct leave_engines>::with<done>>;

/// Opens and closes a core's stores for the keeper: that blocks too.
using core_opener_actor =
  caf::typed_actor<caf::replies_to<struct open_core>::with<struct core_opened>,
                   caf::replies_to<struct close_core>::with<done>>;

/// Finds other engines; asks CAF's middleman.
using engine_finder_actor = caf::typed_actor<
  caf::replies_to<struct find_engine>::with<struct engine_found>>;

} // namespace depositd
