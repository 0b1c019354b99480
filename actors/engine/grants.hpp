#pragma once

// What goes past the admin actor: who was let in there, and which actors such
// peers were given. CAF takes messages to any actor whose number somebody
// guesses, so the node port asks here first.

#include "actors/rules/access/access.hpp"

#include <caf/node_id.hpp>

#include <algorithm>
#include <map>
#include <mutex>
#include <set>
#include <shared_mutex>
#include <string>

namespace depositd::engine {

/// Any thread.
class grants {
public:
  explicit grants(rules::access::own_people own) : own_(std::move(own)) {
    // nop
  }

  rules::access::own_people own() const {
    const std::shared_lock lock{guard_};
    return own_;
  }

  /// The engine has this certificate from now on, of a common name that may be
  /// empty. Whoever came with an earlier one stays one of its own.
  void take_certificate(const std::string& name,
                        const std::string& fingerprint) {
    const std::unique_lock lock{guard_};
    own_.certificate = name;
    auto& known = own_.fingerprints;
    if (std::find(known.begin(), known.end(), fingerprint) == known.end())
      known.push_back(fingerprint);
  }

  /// A node of processors or a producer, who may have signed in as an operator
  /// for it. The account or certificate stays let in until a `review`.
  void let_in(const peer& who, const std::string& operator_name = {}) {
    const std::unique_lock lock{guard_};
    let_in_[rules::access::holder_of(who)] = {who, operator_name};
  }

  /// Holds everybody who is in against the register as it is now. Whoever has
  /// lost what it takes is not let in any more, and the node port ends their
  /// connections.
  void review(const shared_map<std::string, operator_changed>& known) {
    const std::unique_lock lock{guard_};
    const auto now = [&](const guest& x) {
      return rules::access::guest_caller(x.who, x.operator_name, own_, known);
    };
    std::erase_if(let_in_, [&](const auto& x) { return !now(x.second).works; });
    std::erase_if(engines_,
                  [&](const auto& x) { return !now(x.second).is_engine; });
  }

  /// Another engine.
  void take_engine(const peer& who) {
    const std::unique_lock lock{guard_};
    engines_[rules::access::holder_of(who)] = {who, {}};
  }

  /// Whoever is let in may address this actor from now on, if it is `here`.
  template <class Handle>
  void hand_out(const Handle& what, const caf::node_id& here) {
    const std::unique_lock lock{guard_};
    if (what && what.node() == here)
      handed_out_.insert(what.id());
  }

  /// Whether messages to an actor of this process come in; that to which the
  /// node port belongs takes them from everybody.
  bool may_address(const peer& who, caf::actor_id whom) const {
    const std::shared_lock lock{guard_};
    return is_engine(who)
           || (is_in(let_in_, who) && handed_out_.count(whom) > 0);
  }

  /// Whether it may speak for other nodes, and answer what it is asked.
  bool may_forward(const peer& who) const {
    const std::shared_lock lock{guard_};
    return is_engine(who) || is_in(let_in_, who);
  }

private:
  struct guest {
    peer who;
    std::string operator_name; ///< empty: had not signed in
  };

  using guests = std::map<std::string, guest>; ///< by holder

  static bool is_in(const guests& holders, const peer& who) {
    return who.kind != peer_kind::stranger
           && holders.count(rules::access::holder_of(who)) > 0;
  }

  /// `forwarded` says what messages are, not whose connection brings them.
  bool is_engine(peer who) const {
    who.forwarded = false;
    return rules::access::is_own(who, own_) || is_in(engines_, who);
  }

  mutable std::shared_mutex guard_;
  rules::access::own_people own_;
  guests let_in_;
  guests engines_;
  std::set<caf::actor_id> handed_out_; ///< as many as there were queues
};

} // namespace depositd::engine
