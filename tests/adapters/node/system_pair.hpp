#pragma once

// Two actor systems that meet over a socket, as an engine and a node do.

#include "messages/message_types.hpp"
#include "messages/values/node_options.hpp"

#include <caf/io/all.hpp>

#include <gtest/gtest.h>

#include <optional>

namespace depositd::node {

struct pair_config : caf::actor_system_config {
  pair_config() {
    add_depositd_messages(*this);
    load<caf::io::middleman>();
    set("scheduler.policy", caf::atom("sharing"));
    set("scheduler.max-threads", std::size_t{1});
    apply_node_options(*this);
  }
};

struct one_system {
  pair_config config;
  caf::actor_system system{config};
};

/// The engine's side comes and goes; the node's stays.
class system_pair {
public:
  system_pair() {
    engine_.emplace();
  }

  caf::actor_system& engine() {
    return engine_->system;
  }

  caf::actor_system& node() {
    return node_.system;
  }

  /// Publishes an actor of the engine and returns its port.
  template <class Handle>
  std::uint16_t publish(const Handle& what, std::uint16_t port = 0) {
    const auto out = caf::io::publish(what, port, "127.0.0.1", true);
    EXPECT_TRUE(out);
    return out ? *out : std::uint16_t{0};
  }

  /// The same actor, seen from the node.
  template <class Handle>
  Handle from_node(const Handle& what) {
    auto found = node().middleman().remote_actor<Handle>("127.0.0.1",
                                                         publish(what));
    EXPECT_TRUE(found);
    return found ? *found : Handle{};
  }

  /// The engine goes, with all its actors: they must have ended.
  void end_engine() {
    engine_.reset();
  }

  void new_engine() {
    engine_.emplace();
  }

private:
  one_system node_;
  std::optional<one_system> engine_;
};

} // namespace depositd::node
