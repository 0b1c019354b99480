#pragma once

// Decisions about sources, their schedulers, and what queues share out fairly,
// as operators and the configuration set them.

#include "actors/rules/sources/settings.hpp"
#include "messages/values/control.hpp"
#include "messages/values/errors.hpp"
#include "messages/values/events.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace depositd::rules {

inline constexpr std::size_t sources_max = 1'024;
inline constexpr std::size_t schedulers_max = 256;

/// What is set, as actors/rules/sources/settings.hpp checks it.
source_table sources_of(const control_state& state);
scheduler_table schedulers_of(const control_state& state);

/// The same error as `ec::invalid_argument`, if it is `ec::bad_setting`: what
/// ends a start is a wrong argument of a command.
caf::error as_argument(const caf::error& x);

/// Why a queue of these settings cannot be fed; empty: it can.
std::string why_not_fed(const std::string& queue, const queue_settings& x);

// Whether such a change can be made of what is set. `ec::not_found`, or
// `ec::invalid_argument` with the setting.

caf::error check_feeding(const control_state& state, const source_changed& x);
caf::error check_feeding(const control_state& state,
                         const scheduler_changed& x);
caf::error check_feeding(const control_state& state, const fairness_changed& x);
/// From a scheduler, in the shard that has it. `ec::stale_claim`: the source is
/// another one by now.
caf::error check_feeding(const control_state& state, const source_read& x);

/// A change of a scheduler, with the queue that it feeds if there is none.
std::vector<event> with_queue(const control_state& state,
                              const scheduler_changed& x);

/// What carries a changed configuration into the control state.
struct source_plan {
  std::vector<event> events;
  /// Why the configuration is not taken over: it does not go with what
  /// operators have set. It is tried again at the next start.
  caf::error refused;
};

/// What operators have set stays where the configuration said the same at the
/// last start; what it does not name any more stays as well. What has changed
/// in it brings back what it needs and an operator has removed.
source_plan source_changes(const control_state& state, const sources_seen& seen,
                           micros now_us);

/// The same of queues; one that is not named is fair by turns.
std::vector<event> fairness_changes(const control_state& state,
                                    const fairness_seen& seen);

} // namespace depositd::rules
