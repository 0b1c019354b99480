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

struct processor_manager_state {
  processor_manager_options options;
  std::map<std::string, managed_processor> processors;
  control_snapshot control; ///< the newest
  bool draining = false;

  static inline const char* name = "processor_manager";
};

/// Keeps as many slots running as the control state says.
processor_manager_actor::behavior_type processor_manager(
  processor_manager_actor::stateful_pointer<processor_manager_state> self,
  processor_manager_options options);

} // namespace depositd
