#pragma once

// What operators have set: queues, limits, eligibility, accounts,
// processors, server switches. The shard owns it; every door gets the newest
// immutable copy.

#include "messages/values/events.hpp"

#include <map>
#include <memory>
#include <string>
#include <utility>

namespace depositd {

struct user_eligibility {
  bool held = false;
  bool prohibited = false;

  friend bool operator==(const user_eligibility&,
                         const user_eligibility&) = default;
};
DEPOSITD_FIELDS(user_eligibility, held, prohibited);

struct control_state {
  std::map<std::string, queue_settings> queues;
  /// By {queue, user}.
  std::map<std::pair<std::string, std::string>, user_limits_changed> limits;
  std::map<std::string, user_eligibility> eligibilities;
  std::map<std::string, account_changed> accounts;
  std::map<std::string, processor_spec> processors;
  std::map<std::string, key_changed> keys;   ///< by name
  std::map<std::string, move_changed> moves; ///< by reference
  server_changed server;
  configuration_seen configured; ///< at the last start
  std::map<std::string, operator_changed> operators; ///< by name

  friend bool operator==(const control_state&, const control_state&) = default;
};
DEPOSITD_FIELDS(control_state, queues, limits, eligibilities, accounts,
                processors, keys, moves, server, configured, operators);

using control_snapshot = std::shared_ptr<const control_state>;

/// Null is written as an empty state.
template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, control_snapshot& x) {
  if constexpr (Inspector::writes_state) {
    const auto state = std::make_shared<control_state>();
    x = state;
    return f(*state);
  } else {
    const control_state none;
    return f(x ? *x : none);
  }
}

} // namespace depositd
