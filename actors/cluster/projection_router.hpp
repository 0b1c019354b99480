#pragma once

// Stands for the projectors where there are several shards.

#include "actors/cluster/forwarding.hpp"
#include "messages/actors.hpp"

#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

namespace depositd::cluster {

using reader_actor = read_model_actor::extend<caf::reacts_to<shard_placed>,
                                              caf::reacts_to<request_tick>>;

struct reader_state {
  forwarding<projector_actor> to;

  static inline const char* name = "reader";
};

/// Asks the projector of the shard that has what is asked for, here or on
/// another engine; all of them if any may have it.
reader_actor::behavior_type
reader(reader_actor::stateful_pointer<reader_state> self,
       forwarding_options options);

} // namespace depositd::cluster
