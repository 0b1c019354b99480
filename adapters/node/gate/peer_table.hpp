#pragma once

// Which node is at the other end of which connection.

#include "messages/ports/known_peers.hpp"

#include <caf/node_id.hpp>

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <unordered_map>
#include <unordered_set>

namespace depositd::gate {

/// Any thread.
class peer_table : public known_peers {
public:
  using connection = std::uint64_t;
  using time_point = std::chrono::steady_clock::time_point;

  /// Messages of a connection that has closed may still be waiting somewhere:
  /// nobody else may come with its node's id before this time is over.
  static constexpr std::chrono::seconds kept_for{120};

  /// As many ids may one holder have left behind; then it gets no new ones.
  static constexpr std::size_t left_behind_max = 4'096;

  /// Nodes that one connection may speak for.
  static constexpr std::size_t forwarded_max = 10'000;

  explicit peer_table(admission admit);

  /// The node is at the other end of this connection. False if another holder
  /// has that id or had it until a moment ago. One holder's nodes may have
  /// several connections.
  bool claim(const caf::node_id& node, connection by, const peer& who,
             time_point now);

  /// Messages of the node come by way of this connection. False if the node is
  /// connected itself.
  bool forward(const caf::node_id& node, connection by);

  void release(connection by, time_point now);

  std::optional<peer> peer_of(const caf::node_id& node) const override;

  /// Whether others may be reached by way of this node.
  bool may_forward(const caf::node_id& node) const;

  const admission& admit() const {
    return admit_;
  }

private:
  struct entry {
    peer who;
    std::unordered_set<connection> by;
  };

  struct connected {
    caf::node_id node;
    std::unordered_set<caf::node_id> forwarded;
  };

  struct left {
    peer who;
    time_point until;
  };

  void forget_old(time_point now);
  void leave_behind(const caf::node_id& node, const peer& who, time_point now);

  const admission admit_;
  mutable std::mutex guard_;
  std::unordered_map<caf::node_id, entry> direct_;
  std::unordered_map<caf::node_id, std::unordered_set<connection>> behind_;
  std::unordered_map<connection, connected> connections_;
  std::unordered_map<caf::node_id, left> left_;
  std::deque<std::pair<time_point, caf::node_id>> left_order_;
  std::map<std::string, std::size_t> left_by_; ///< holder
};

} // namespace depositd::gate
