#pragma once

// What the shard does with what admin proposes.

#include "messages/values/control.hpp"

#include <gtest/gtest.h>

namespace depositd::testing {

/// Puts control events where the shard would; enough for what admin proposes.
struct control_writer {
  control_state& state;

  void operator()(const queue_changed& x) {
    state.queues[x.queue] = x.settings;
  }
  void operator()(const user_limits_changed& x) {
    state.limits[{x.queue, x.user}] = x;
  }
  void operator()(const user_eligibility_changed& x) {
    state.eligibilities[x.user] = {x.held, x.prohibited};
  }
  void operator()(const account_changed& x) {
    if (x.password_hash.empty())
      state.accounts.erase(x.user);
    else
      state.accounts[x.user] = x;
  }
  void operator()(const contact_changed& x) {
    if (x.mail.empty() && x.callback.empty())
      state.contacts.erase(x.user);
    else
      state.contacts[x.user] = x;
  }
  void operator()(const processor_changed& x) {
    if (x.removed)
      state.processors.erase(x.spec.name);
    else
      state.processors[x.spec.name] = x.spec;
  }
  void operator()(const processor_placed& x) {
    if (x.nodes.empty())
      state.placements.erase(x.processor);
    else
      state.placements[x.processor] = x;
  }
  void operator()(const key_changed& x) {
    if (x.digest.empty())
      state.keys.erase(x.name);
    else
      state.keys[x.name] = x;
  }
  void operator()(const operator_changed& x) {
    if (x.removed)
      state.operators.erase(x.name);
    else
      state.operators[x.name] = x;
  }
  void operator()(const operator_token_changed& x) {
    if (x.removed)
      state.operator_tokens.erase({x.operator_name, x.name});
    else
      state.operator_tokens[{x.operator_name, x.name}] = x;
  }
  void operator()(const quota_changed& x) {
    state.quotas[{x.queue, x.user}] = x;
  }
  void operator()(const key_terms_changed& x) {
    if (x.user.empty())
      state.key_terms.erase(x.key);
    else
      state.key_terms[x.key] = x;
  }
  void operator()(const key_used& x) {
    if (x.used_us == never)
      state.keys_used.erase(x.key);
    else
      state.keys_used[x.key] = x;
  }
  void operator()(const server_changed& x) {
    state.server = x;
  }
  void operator()(const collection_changed& x) {
    if (x.removed)
      state.collections.erase(x.settings.name);
    else
      state.collections[x.settings.name] = x.settings;
  }
  void operator()(const pipeline_changed& x) {
    state.pipelines[x.what.name] = x.what;
  }
  void operator()(const deletion_changed& x) {
    state.deletions[x.reference] = x;
  }
  void operator()(const source_changed& x) {
    if (x.removed)
      state.sources.erase(x.name);
    else
      state.sources[x.name] = x;
  }
  void operator()(const scheduler_changed& x) {
    if (x.removed)
      state.schedulers.erase(x.name);
    else
      state.schedulers[x.name] = x;
  }
  void operator()(const fairness_changed& x) {
    state.fairness[x.queue] = x;
  }
  template <class Other>
  void operator()(const Other&) {
    ADD_FAILURE() << "admin proposed an event of items";
  }
};

} // namespace depositd::testing
