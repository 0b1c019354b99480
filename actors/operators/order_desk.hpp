#pragma once

// Takes orders about objects that are stored, from whichever door: finds the
// object, looks whether it may be had so, and queues the work under its owner.

#include "messages/actor_with.hpp"
#include "messages/actors.hpp"
#include "messages/orders.hpp"
#include "messages/values/clock.hpp"
#include "messages/values/uuid.hpp"

#include <caf/typed_event_based_actor.hpp>

#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace depositd::operators {

struct order_desk_options {
  shards_actor shard;
  catalogue_actor catalogue;
  std::vector<std::string> cold_storage;
  engine_clock clock = engine_clock::system();
  std::chrono::milliseconds patience{10'000}; ///< for one answer
  std::function<std::string()> new_uuid = random_uuid;
};

struct order_desk_state {
  using interface = order_desk_actor;

  order_desk_options options;

  static inline const char* name = "order_desk";
};

order_desk_actor::behavior_type order_desk(actor_with<order_desk_state>* self,
                                           order_desk_options options);

} // namespace depositd::operators
