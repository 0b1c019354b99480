#pragma once

// What a node of processors sees of the shard that it works for.

#include "actors/engine/grants.hpp"
#include "messages/actor_with.hpp"
#include "messages/actors.hpp"
#include "messages/follow_control.hpp"
#include "messages/shard.hpp"

#include <caf/typed_event_based_actor.hpp>

#include <chrono>
#include <memory>
#include <vector>

namespace depositd::engine {

/// With what its follower says.
using node_face_self =
  shard_processors_actor::extend<caf::reacts_to<control_changed>>;

struct node_face_options {
  shard_processors_actor shard;  ///< or the router to all
  std::shared_ptr<grants> given; ///< reviewed with every change of the register
  std::chrono::milliseconds request_timeout{30'000};
};

struct node_face_state {
  using interface = node_face_self;

  node_face_options options;
  control_snapshot control; ///< the newest, as nodes may see it; null: none yet
  std::uint64_t revision = 0;
  std::vector<caf::strong_actor_ptr> watchers;
  /// Who asked before anything was known.
  std::vector<caf::typed_response_promise<control_changed>> waiting;

  static inline const char* name = "node_face";
};

/// Ports of queues, and the control state without what is nobody's business.
node_face_self::behavior_type node_face(actor_with<node_face_state>* self,
                                        node_face_options options);

} // namespace depositd::engine
