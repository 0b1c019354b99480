#include "actors/rules/control/configuring.hpp"

#include "actors/rules/control/control.hpp"
#include "messages/values/test_points.hpp"

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
         && std::find(before.begin(), before.end(), x) != before.end()
         && !seeded_bug("operators_setting_undone");
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

/// A list that says something else is taken as a whole: who is not in it any
/// more is prohibited no more.
void add_prohibitions(std::vector<event>& out, const control_state& state,
                      const configuration_seen& seen) {
  const auto& before = state.configured.prohibited_users;
  const auto& wanted = seen.prohibited_users;
  if (before == wanted)
    return;
  const auto become = [&](const std::string& user, bool prohibited) {
    const auto at = state.eligibilities.find(user);
    const auto is = at == state.eligibilities.end() ? user_eligibility{}
                                                    : at->second;
    if (is.prohibited != prohibited)
      out.emplace_back(user_eligibility_changed{user, is.held, prohibited});
  };
  for (const auto& user : wanted)
    become(user, true);
  for (const auto& user : before)
    if (std::find(wanted.begin(), wanted.end(), user) == wanted.end())
      become(user, false);
}

/// Whether the last start's had a queue of deposits of this name: its processor
/// has come with it, or was removed since.
bool had_deposits(const configuration_seen& before, const std::string& queue) {
  return std::any_of(before.queues.begin(), before.queues.end(),
                     [&](const auto& x) {
                       return x.name == queue
                              && x.settings.kind == queue_kind::deposit;
                     });
}

/// One of deposits ends what it is handed: in a queue of messages, what nobody
/// has read.
void add_processors(std::vector<event>& out, const control_state& state,
                    const configuration_seen& seen) {
  const auto same_count
    = state.configured.processors_count == seen.processors_count;
  for (const auto& queue : seen.queues) {
    if (queue.settings.kind != queue_kind::deposit
        || has_other_kind(state, queue)
        || (same_count
            && (had_deposits(state.configured, queue.name)
                || seeded_bug("processor_not_made"))))
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
