#pragma once

// Which slots a process runs for the stages of pipelines, and how many items of
// a stage may be in process at once.

#include "messages/values/control.hpp"

#include <cstdint>
#include <map>
#include <string>

namespace depositd::rules {

/// What a stage asks of the process that runs it.
struct stage_needs {
  bool work_folder = false; ///< the one that all share
  bool storage = false;     ///< the targets that collections name
  bool engine = false;      ///< keys of callbacks and the mail: no joined node

  friend bool operator==(const stage_needs&, const stage_needs&) = default;
};

/// Of built-in handlers by their names. Programs get their item as JSON and
/// need nothing.
stage_needs needs_of(const stage_settings& x);

/// An engine, or a node that has joined one.
struct stage_process {
  std::string name;
  bool is_engine = true;
  bool has_work_folder = true; ///< proven by its marker
  bool has_storage = true;
};

struct stage_slots {
  std::uint32_t slots = 0;    ///< 0: none in this process
  std::uint32_t capacity = 1; ///< items that a slot holds at once
  std::uint32_t lease_ms = 60'000;
  /// A handler that has not answered by then counts as a transient failure.
  std::uint64_t handler_timeout_ms = 24ULL * 3600 * 1000;
  /// Whether the process may run it; an SP of an operator runs none else.
  bool allowed = true;

  friend bool operator==(const stage_slots&, const stage_slots&) = default;
};

/// By queue: those of stages that are worked on inside depositd, and those of
/// batches.
std::map<std::string, stage_slots> stage_slots_in(const control_state& state,
                                                  const stage_process& where);

/// How many items of a stage may be in process at once, wherever that is;
/// `no_cap` for queues that are no stage's, or of workers outside.
std::uint32_t workers_of(const control_state& state, const std::string& queue);

} // namespace depositd::rules
