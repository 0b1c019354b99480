#pragma once

// Port: who sends us messages from other nodes, and what of it comes in.
// Adapter: node/gate.

#include "messages/values/peer.hpp"

#include <caf/fwd.hpp>
#include <caf/node_id.hpp>

#include <functional>
#include <optional>

namespace depositd {

/// The nodes that are connected. Any thread.
class known_peers {
public:
  virtual ~known_peers() = default;

  /// For `current_sender()->node()` of a message. A node is known from its
  /// handshake until its connection has closed, and nobody else can take its
  /// id meanwhile. Nothing for this node itself, and for those that have gone.
  virtual std::optional<peer> peer_of(const caf::node_id& node) const = 0;
};

/// What peers may do on the wire. Asked for each message, in the thread of the
/// sockets: quick, and safe in any thread.
struct admission {
  /// Whether messages to an actor of ours are let in; those to the actor that
  /// is published at the port always are.
  std::function<bool(const peer&, caf::actor_id)> may_address =
    [](const peer&, caf::actor_id) { return true; };

  /// Whether it may send messages of other nodes and to other nodes, and answer
  /// requests: engines, and processes that process. Not operators.
  std::function<bool(const peer&)> may_forward = [](const peer&) {
    return true;
  };
};

} // namespace depositd
