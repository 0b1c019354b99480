#pragma once

#include "messages/actor_with.hpp"
#include "messages/actors.hpp"
#include "messages/operators.hpp"

#include <caf/typed_event_based_actor.hpp>

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace depositd::engine {

struct supervisor_options {
  shard_operators_actor shard;
  processor_manager_actor processors;
  read_model_actor projector;
  /// Everything that must live as long as the engine, by name.
  std::vector<std::pair<std::string, caf::strong_actor_ptr>> watched;
  /// Called when one of them is gone: the engine cannot go on.
  std::function<void(const std::string& who, const caf::error& why)> failed;
  std::uint32_t drain_ms = 10'000;
};

struct supervisor_state {
  using interface = supervisor_actor;

  supervisor_options options;
  bool stopping = false;

  static inline const char* name = "supervisor";
};

/// Watches the actors of the engine and drains them in order: first nothing new
/// is handed out, then what is in the processors' hands ends, then the
/// projection catches up, so that the next start has nothing to replay.
supervisor_actor::behavior_type supervisor(actor_with<supervisor_state>* self,
                                           supervisor_options options);

} // namespace depositd::engine
