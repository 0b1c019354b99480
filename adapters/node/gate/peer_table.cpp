#include "adapters/node/gate/peer_table.hpp"

#include <utility>

namespace depositd::gate {

namespace {

/// Strangers count as one.
std::string holder_text(const peer& x) {
  if (x.kind == peer_kind::account)
    return std::to_string(x.account);
  return x.name.empty() ? x.fingerprint : "CN=" + x.name;
}

/// Whether somebody gains by coming with the other's id.
bool differ(const peer& x, const peer& y) {
  return !same_holder(x, y)
         && (x.kind != peer_kind::stranger || y.kind != peer_kind::stranger);
}

} // namespace

peer_table::peer_table(admission admit) : admit_(std::move(admit)) {
  // nop
}

bool peer_table::claim(const caf::node_id& node, connection by, const peer& who,
                       time_point now) {
  const std::lock_guard locked{guard_};
  forget_old(now);
  const auto was = left_.find(node);
  if (was != left_.end() && differ(was->second.who, who))
    return false;
  const auto many = left_by_.find(holder_text(who));
  if (many != left_by_.end() && many->second >= left_behind_max)
    return false;
  auto& at = direct_[node];
  if (!at.by.empty() && at.by.count(by) == 0 && !same_holder(at.who, who))
    return false;
  at.who = who;
  at.by.insert(by);
  connections_[by].node = node;
  // Nobody speaks for a node that speaks for itself.
  if (const auto all = behind_.find(node); all != behind_.end()) {
    for (const auto through : all->second)
      connections_[through].forwarded.erase(node);
    behind_.erase(all);
  }
  return true;
}

bool peer_table::forward(const caf::node_id& node, connection by) {
  const std::lock_guard locked{guard_};
  const auto known = connections_.find(by);
  if (direct_.count(node) > 0 || known == connections_.end())
    return false;
  // What it left behind was its own word; this is somebody else's.
  if (left_.count(node) > 0
      && differ(left_.at(node).who, direct_.at(known->second.node).who))
    return false;
  auto& all = known->second.forwarded;
  if (all.count(node) > 0)
    return true;
  if (all.size() >= forwarded_max)
    return false;
  all.insert(node);
  behind_[node].insert(by);
  return true;
}

void peer_table::release(connection by, time_point now) {
  const std::lock_guard locked{guard_};
  const auto known = connections_.find(by);
  if (known == connections_.end())
    return;
  for (const auto& node : known->second.forwarded) {
    const auto at = behind_.find(node);
    at->second.erase(by);
    if (at->second.empty())
      behind_.erase(at);
  }
  const auto at = direct_.find(known->second.node);
  at->second.by.erase(by);
  if (at->second.by.empty()) {
    leave_behind(at->first, at->second.who, now);
    direct_.erase(at);
  }
  connections_.erase(known);
}

std::optional<peer> peer_table::peer_of(const caf::node_id& node) const {
  const std::lock_guard locked{guard_};
  if (const auto at = direct_.find(node); at != direct_.end())
    return at->second.who;
  const auto at = behind_.find(node);
  if (at == behind_.end())
    return std::nullopt;
  const auto through = connections_.find(*at->second.begin());
  auto out = direct_.at(through->second.node).who;
  out.forwarded = true;
  return out;
}

bool peer_table::may_forward(const caf::node_id& node) const {
  const auto who = peer_of(node);
  return who && !who->forwarded && admit_.may_forward(*who);
}

void peer_table::forget_old(time_point now) {
  while (!left_order_.empty() && left_order_.front().first <= now) {
    const auto at = left_.find(left_order_.front().second);
    if (at != left_.end() && at->second.until <= now) {
      const auto by = left_by_.find(holder_text(at->second.who));
      if (--by->second == 0)
        left_by_.erase(by);
      left_.erase(at);
    }
    left_order_.pop_front();
  }
}

void peer_table::leave_behind(const caf::node_id& node, const peer& who,
                              time_point now) {
  // Whoever may speak for others gains nothing by what it left.
  if (admit_.may_forward(who))
    return;
  if (left_.emplace(node, left{who, now}).second)
    ++left_by_[holder_text(who)];
  left_[node].until = now + kept_for;
  left_order_.emplace_back(now + kept_for, node);
}

} // namespace depositd::gate
