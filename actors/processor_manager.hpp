#pragma once

#include "actors/processor.hpp"
#include "messages/actors.hpp"

#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <chrono>
#include <map>
#include <string>
#include <vector>

namespace depositd {

/// To itself: bring the slots to what the newest control state says.
struct refill_slots {};

struct processor_manager_options {
  shard_actor shard;
  handler_actor handler;
  engine_clock clock = engine_clock::system();
  std::chrono::milliseconds request_timeout{30'000};
};

/// The slots of one SP.
struct managed_processor {
  processor_spec spec;
  std::string queue; ///< which its types led to
  std::vector<processor_self> slots;
};

using processor_manager_self =
  processor_manager_actor::extend<caf::reacts_to<refill_slots>>;

struct processor_manager_state {
  processor_manager_options options;
  std::map<std::string, managed_processor> processors;
  /// Slots that were told to end and may still hold an item.
  std::vector<processor_self> ending;
  control_snapshot control; ///< the newest
  bool draining = false;
  bool refill_due = false; ///< a `refill_slots` is on its way

  static inline const char* name = "processor_manager";
};

/// Keeps as many slots running as the control state says.
processor_manager_self::behavior_type processor_manager(
  processor_manager_self::stateful_pointer<processor_manager_state> self,
  processor_manager_options options);

} // namespace depositd

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(depositd::refill_slots)
