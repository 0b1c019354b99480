#include "actors/rules/control/configuring.hpp"

#include "actors/rules/control/control.hpp"

#include <algorithm>

namespace depositd::rules {

namespace {

bool has_other_kind(const control_state& state,
                    const configuration_seen::queue& x) {
  const auto known = state.queues.find(x.name);
  return known != state.queues.end() && known->second.kind != x.settings.kind;
}

/// Whoever changed last wins: the configuration, if it changed since the last
/// start; what operators set, if it did not.
bool is_as_before(const control_state& state,
                  const configuration_seen::queue& x) {
  const auto& before = state.configured.queues;
  return state.queues.contains(x.name)
         && std::find(before.begin(), before.end(), x) != before.end();
}

void add_queues(std::vector<event>& out, const control_state& state,
                const configuration_seen& seen) {
  for (const auto& queue : seen.queues) {
    if (has_other_kind(state, queue) || is_as_before(state, queue))
      continue;
    auto settings = queue.settings;
    const auto known = state.queues.find(queue.name);
    if (known != state.queues.end()) {
      settings = with_fixed_of(known->second, settings);
      settings.suspended = known->second.suspended;
    }
    out.emplace_back(queue_changed{queue.name, settings});
  }
}

void add_prohibitions(std::vector<event>& out, const control_state& state,
                      const configuration_seen& seen) {
  if (state.configured.prohibited_users == seen.prohibited_users)
    return;
  for (const auto& user : seen.prohibited_users) {
    const auto at = state.eligibilities.find(user);
    const auto held = at != state.eligibilities.end() && at->second.held;
    out.emplace_back(user_eligibility_changed{user, held, true});
  }
}

/// One of deposits ends what it is handed: in a queue of messages, what nobody
/// has read.
void add_processors(std::vector<event>& out, const control_state& state,
                    const configuration_seen& seen) {
  if (state.configured.processors_count == seen.processors_count
      && !state.configured.queues.empty())
    return;
  for (const auto& queue : seen.queues) {
    if (queue.settings.kind != queue_kind::deposit
        || has_other_kind(state, queue))
      continue;
    processor_spec spec;
    spec.name = queue.name;
    spec.types = {queue.name};
    const auto known = state.processors.find(spec.name);
    if (known != state.processors.end())
      spec = known->second;
    spec.slots = seen.processors_count;
    out.emplace_back(processor_changed{spec, seen.processors_count == 0});
  }
}

} // namespace

std::vector<event> configuration_changes(const control_state& state,
                                         const configuration_seen& seen) {
  std::vector<event> out;
  if (state.configured == seen)
    return out;
  add_queues(out, state, seen);
  add_prohibitions(out, state, seen);
  add_processors(out, state, seen);
  out.emplace_back(seen);
  return out;
}

} // namespace depositd::rules
