#pragma once

// What operators have set: queues, limits, eligibility, accounts,
// processors, server switches. The shard owns it; every door gets the newest
// immutable copy.

#include "messages/values/events.hpp"
#include "messages/values/shared_map.hpp"

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
  shared_map<std::string, queue_settings> queues;
  /// By {queue, user}.
  shared_map<std::pair<std::string, std::string>, user_limits_changed> limits;
  shared_map<std::string, user_eligibility> eligibilities;
  shared_map<std::string, account_changed> accounts;
  shared_map<std::string, processor_spec> processors;
  shared_map<std::string, key_changed> keys;   ///< by name
  shared_map<std::string, move_changed> moves; ///< by reference
  server_changed server;
  configuration_seen configured;                       ///< at the last start
  shared_map<std::string, operator_changed> operators; ///< by name
  /// By queue: whose first use made it.
  shared_map<std::string, queue_founded> founders;
  /// By {queue, user}; without a user: of everybody who has no own.
  shared_map<std::pair<std::string, std::string>, quota_changed> quotas;
  shared_map<std::string, key_terms_changed> key_terms; ///< by the key's name
  shared_map<std::string, key_used> keys_used;          ///< likewise
  shared_map<std::string, collection_settings> collections; ///< by name
  shared_map<std::string, pipeline> pipelines;              ///< by name
  pipelines_seen pipelines_configured;               ///< at the last start
  shared_map<std::string, contact_changed> contacts; ///< by user
  /// By name; only those that this shard has.
  shared_map<std::string, topic_changed> topics;
  shared_map<std::string, processor_placed> placements;  ///< by processor
  shared_map<std::string, deletion_changed> deletions;   ///< by reference
  shared_map<std::string, source_changed> sources;       ///< by name
  shared_map<std::string, scheduler_changed> schedulers; ///< by name
  /// By source; only of those whose scheduler this shard has.
  shared_map<std::string, source_read> positions;
  sources_seen sources_configured;                    ///< at the last start
  shared_map<std::string, fairness_changed> fairness; ///< by queue
  fairness_seen fairness_configured;                  ///< at the last start
  /// By {operator, token}.
  shared_map<std::pair<std::string, std::string>, operator_token_changed>
    operator_tokens;

  friend bool operator==(const control_state&, const control_state&) = default;
};
DEPOSITD_FIELDS(control_state, queues, limits, eligibilities, accounts,
                processors, keys, moves, server, configured, operators,
                founders, quotas, key_terms, keys_used, collections, pipelines,
                pipelines_configured, contacts, topics, placements, deletions,
                sources, schedulers, positions, sources_configured, fairness,
                fairness_configured, operator_tokens);

/// How much a user may send to a queue.
struct user_quota {
  std::uint64_t bytes_max = no_size_limit; ///< that wait
  std::uint32_t requests_per_second = no_cap;

  friend bool operator==(const user_quota&, const user_quota&) = default;
};

/// The quota that is in force: the user's own, or that of everybody.
user_quota quota_of(const control_state& state, const std::string& queue,
                    const std::string& user);

/// The user of what comes with a key, by the key's name.
const std::string& user_of_key(const control_state& state,
                               const std::string& key);

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
