#include "actors/rules/control/control.hpp"

#include <type_traits>
#include <variant>

namespace depositd::rules {

member_limits limits_of(const control_state& state, const std::string& queue,
                        const std::string& user) {
  member_limits out;
  if (const auto at = state.queues.find(queue); at != state.queues.end()) {
    out.allocation = at->second.allocation;
    out.concurrency = at->second.concurrency;
  }
  if (const auto at = state.limits.find({queue, user});
      at != state.limits.end()) {
    if (at->second.has_allocation)
      out.allocation = at->second.allocation;
    if (at->second.has_concurrency)
      out.concurrency = at->second.concurrency;
  }
  if (const auto at = state.eligibilities.find(user);
      at != state.eligibilities.end()) {
    out.held = at->second.held;
    out.prohibited = at->second.prohibited;
  }
  return out;
}

queue_settings with_fixed_of(const queue_settings& known,
                             queue_settings wanted) {
  wanted.kind = known.kind;
  wanted.priority = known.priority;
  wanted.oldest_band_every = known.oldest_band_every;
  wanted.dedup = known.dedup;
  return wanted;
}

// -- applying -----------------------------------------------------------------

namespace {

template <class Map, class Key, class Value>
bool put(Map& map, const Key& key, const Value& value) {
  const auto [at, added] = map.try_emplace(key, value);
  if (added)
    return true;
  if (at->second == value)
    return false;
  at->second = value;
  return true;
}

struct applier {
  control_state& state;

  bool operator()(const queue_changed& x) {
    return put(state.queues, x.queue, x.settings);
  }

  bool operator()(const user_limits_changed& x) {
    const std::pair key{x.queue, x.user};
    if (!x.has_allocation && !x.has_concurrency)
      return state.limits.erase(key) > 0;
    // Numbers that mean nothing do not make a difference.
    auto kept = x;
    kept.allocation = x.has_allocation ? x.allocation : 0;
    kept.concurrency = x.has_concurrency ? x.concurrency : 0;
    return put(state.limits, key, kept);
  }

  bool operator()(const user_eligibility_changed& x) {
    if (!x.held && !x.prohibited)
      return state.eligibilities.erase(x.user) > 0;
    return put(state.eligibilities, x.user,
               user_eligibility{x.held, x.prohibited});
  }

  bool operator()(const account_changed& x) {
    if (x.password_hash.empty())
      return state.accounts.erase(x.user) > 0;
    return put(state.accounts, x.user, x);
  }

  bool operator()(const processor_changed& x) {
    if (x.removed)
      return state.processors.erase(x.spec.name) > 0;
    return put(state.processors, x.spec.name, x.spec);
  }

  bool operator()(const key_changed& x) {
    if (x.digest.empty())
      return state.keys.erase(x.name) > 0;
    return put(state.keys, x.name, x);
  }

  bool operator()(const move_changed& x) {
    if (x.forgotten)
      return state.moves.erase(x.reference) > 0;
    return put(state.moves, x.reference, x);
  }

  bool operator()(const server_changed& x) {
    const auto differs = state.server != x;
    state.server = x;
    return differs;
  }

  bool operator()(const configuration_seen& x) {
    const auto differs = state.configured != x;
    state.configured = x;
    return differs;
  }

  /// What happens to items is not control.
  template <class Other>
  bool operator()(const Other&) {
    return false;
  }
};

struct key_of {
  using key = std::optional<std::string>;

  key operator()(const queue_changed& x) {
    return x.queue;
  }

  key operator()(const user_limits_changed& x) {
    return x.queue + '\n' + x.user;
  }

  key operator()(const user_eligibility_changed& x) {
    return x.user;
  }

  key operator()(const account_changed& x) {
    return x.user;
  }

  key operator()(const processor_changed& x) {
    return x.spec.name;
  }

  key operator()(const key_changed& x) {
    return x.name;
  }

  key operator()(const move_changed& x) {
    return x.reference;
  }

  key operator()(const server_changed&) {
    return "";
  }

  key operator()(const configuration_seen&) {
    return "";
  }

  template <class Other>
  key operator()(const Other&) {
    return std::nullopt;
  }
};

} // namespace

bool apply(control_state& state, const event& change) {
  return std::visit(applier{state}, change);
}

std::optional<std::pair<std::uint8_t, std::string>>
control_key(const event& change) {
  auto key = std::visit(key_of{}, change);
  if (!key)
    return std::nullopt;
  return std::pair{static_cast<std::uint8_t>(change.index()), std::move(*key)};
}

} // namespace depositd::rules
