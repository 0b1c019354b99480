#pragma once

#include "actors/queue/unread.hpp"
#include "messages/actor_with.hpp"
#include "messages/actors.hpp"
#include "messages/ports/journal_store.hpp"
#include "messages/projection.hpp"

#include <caf/typed_event_based_actor.hpp>

namespace depositd::shard {

using body_reader_self = body_reader_actor::extend<caf::reacts_to<meet_shard>>;

struct body_reader_state {
  using interface = body_reader_self;

  caf::strong_actor_ptr shard; ///< a shard_actor; null until it is met

  static inline const char* name = "body_reader";
};

/// Reads bodies that are beyond the memory budget and hands the items out, so
/// that neither the journal nor a user waits for the disk. What it cannot read
/// goes back to the shard it has met. Blocks: must be detached. `store`
/// outlives the actor.
body_reader_self::behavior_type body_reader(actor_with<body_reader_state>* self,
                                            journal_store* store);

} // namespace depositd::shard
