#pragma once

// What a slot of a stage has its items done by: a thread that is there while
// there is something to do.

#include "adapters/processing/stages/stage_work.hpp"
#include "messages/actors.hpp"

#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <chrono>
#include <memory>

namespace depositd::stages {

/// To itself: has the thread anything to do?
struct look_idle {};

struct stage_slot_options {
  std::shared_ptr<const stage_work> work;
  /// The thread ends when it had nothing to do for about as long.
  std::chrono::milliseconds idle_max{5'000};
};

using stage_slot_self = handler_actor::extend<caf::reacts_to<look_idle>>;

struct stage_slot_state {
  ~stage_slot_state();

  stage_slot_options options;
  handler_actor worker;    ///< with a thread of its own; null: not needed now
  std::size_t in_work = 0; ///< given to the worker and not answered
  bool used = false;       ///< since the last look
  bool look_due = false;   ///< a `look_idle` is on its way

  static inline const char* name = "stage_slot";
};

/// Has one item done after the other. Ends if its thread does.
stage_slot_self::behavior_type
stage_slot(stage_slot_self::stateful_pointer<stage_slot_state> self,
           stage_slot_options options);

} // namespace depositd::stages

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(depositd::stages::look_idle)
