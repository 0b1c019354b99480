#pragma once

#include "messages/actors.hpp"
#include "messages/clock.hpp"

#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <chrono>
#include <string>

namespace depositd {

/// Asks a slot what it does.
struct report_slot {};

/// Tells a slot to take nothing more; answered when it holds nothing.
struct finish_slot {};

struct processor_options {
  std::string name; ///< of the SP
  std::uint32_t slot = 0;
  std::string queue;
  criteria wants;
  queue_door_actor door;
  handler_actor handler;
  engine_clock clock = engine_clock::system();
  /// A handler that has not answered by then counts as a transient failure.
  std::chrono::milliseconds handler_timeout{600'000};
  std::chrono::milliseconds request_timeout{30'000};
};

using processor_self =
  processor_actor::extend<caf::replies_to<report_slot>::with<slots_report>,
                          caf::replies_to<finish_slot>::with<done>>;

struct processor_state {
  processor_options options;
  std::uint32_t number = 0; ///< from the queue; 0: not attached yet
  item_id item = 0;         ///< 0: idle
  std::string user;
  micros since_us = never;
  bool finishing = false;
  std::vector<caf::typed_response_promise<done>> awaiting_end;

  static inline const char* name = "processor";
};

/// One SP slot inside the engine: holds at most one item.
processor_self::behavior_type
processor(processor_self::stateful_pointer<processor_state> self,
          processor_options options);

} // namespace depositd

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(depositd::report_slot)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(depositd::finish_slot)
