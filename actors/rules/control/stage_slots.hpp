#pragma once

// Which slots an engine runs for the stages of its pipelines.

#include "messages/values/control.hpp"

#include <cstdint>
#include <map>
#include <string>

namespace depositd::rules {

struct stage_slots {
  std::uint32_t slots = 0;    ///< 0: none on this node
  std::uint32_t capacity = 1; ///< items that a slot holds at once
  std::uint32_t lease_ms = 60'000;
  /// A handler that has not answered by then counts as a transient failure.
  std::uint64_t handler_timeout_ms = 24ULL * 3600 * 1000;

  friend bool operator==(const stage_slots&, const stage_slots&) = default;
};

/// By queue: those of stages that the engine works on itself, and those of
/// batches. `node` is what this engine is called.
std::map<std::string, stage_slots> stage_slots_on(const control_state& state,
                                                  const std::string& node);

} // namespace depositd::rules
