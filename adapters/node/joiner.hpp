#pragma once

// Keeps a node of processors connected to its engine.

#include "messages/actor_with.hpp"
#include "messages/actors.hpp"
#include "messages/cluster.hpp"
#include "messages/values/endpoint.hpp"

#include <caf/io/middleman_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <chrono>
#include <functional>
#include <string>

namespace depositd::node {

/// To itself: time to try (again).
struct join_now {};

} // namespace depositd::node

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(depositd::node::join_now)

namespace depositd::node {

struct joiner_options {
  endpoint engine;
  /// CAF's middleman, or that of its OpenSSL module.
  caf::io::middleman_actor middleman;
  join_node introduction;
  /// The engine took this node in; called from an actor's thread.
  std::function<void(const node_joined&)> joined;
  /// The engine that took it in is gone.
  std::function<void()> lost;
  std::chrono::milliseconds attempt_timeout{10'000}; ///< of each step
  std::chrono::milliseconds pause_min{100};          ///< doubles
  std::chrono::milliseconds pause_max{2'000};
};

using joiner_actor = caf::typed_actor<caf::reacts_to<join_now>>;

struct joiner_state {
  using interface = joiner_actor;

  joiner_options options;
  admin_actor engine; ///< that took this node in; null: none now
  std::chrono::milliseconds pause{0};
  std::string trouble; ///< last reason that was logged

  static inline const char* name = "joiner";
};

/// Connects, introduces the node, and does so again for ever whenever the
/// engine is gone.
joiner_actor::behavior_type joiner(actor_with<joiner_state>* self,
                                   joiner_options options);

} // namespace depositd::node
