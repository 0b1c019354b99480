#pragma once

// Which submission processors a process runs, each on which queue and how.

#include "actors/rules/control/stage_slots.hpp"
#include "messages/values/control.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace depositd::rules::placement {

/// A process with slots.
struct slots_process {
  /// Called so where stages and SPs name nodes.
  stage_process where;
  bool has_stage_handlers = true; ///< else it runs no stages, nor outboxes
  /// Slots of each SP; none: as many as the control state says.
  std::optional<std::uint32_t> slots;
  /// Of a node, slots of each deposit queue that the engine itself was
  /// configured to have no processors for; unless `slots` says otherwise.
  std::uint32_t slots_default = 0;
};

struct placed_processor {
  processor_spec spec;
  std::string queue;                ///< which its types led to
  std::optional<stage_slots> stage; ///< none: no stage's

  friend bool operator==(const placed_processor&,
                         const placed_processor&) = default;
};

/// By name, those that the process runs.
std::map<std::string, placed_processor>
processors_of(const control_state& state, const slots_process& process);

/// Whether slots that run as one says can go on as the other one says; their
/// number may differ. All else is fixed when a slot attaches.
bool same_slots(const placed_processor& x, const placed_processor& y);

} // namespace depositd::rules::placement
