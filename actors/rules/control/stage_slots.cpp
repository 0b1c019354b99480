#include "actors/rules/control/stage_slots.hpp"

#include <algorithm>

namespace depositd::rules {

namespace {

/// Splitting and reporting are short; two of each keep one slow batch from
/// holding up the others.
constexpr std::uint32_t slots_of_batches = 2;

/// Telling takes seconds, or a minute where nobody answers.
constexpr std::uint32_t slots_of_outboxes = 8;

/// A program is killed at its time limit, and says so.
constexpr std::uint64_t exec_grace_ms = 60'000;

stage_slots slots_of(const stage_settings& x, const std::string& node) {
  stage_slots out;
  const bool here =
    x.nodes.empty()
    || std::find(x.nodes.begin(), x.nodes.end(), node) != x.nodes.end();
  out.slots = here ? std::min(x.workers, x.workers_per_node) : 0;
  out.capacity = 1 + x.buffer;
  out.lease_ms = x.lease_ms;
  // What is built in has limits of its own for all that it waits for: there the
  // default finds what hangs in spite of them. What is fetched ahead waits for
  // what is before it.
  if (x.kind == handler_kind::exec)
    out.handler_timeout_ms = x.time_limit_ms + exec_grace_ms;
  out.handler_timeout_ms *= out.capacity;
  return out;
}

} // namespace

std::map<std::string, stage_slots> stage_slots_on(const control_state& state,
                                                  const std::string& node) {
  std::map<std::string, stage_slots> out;
  for (const auto& [name, settings] : state.queues)
    if (settings.kind == queue_kind::outbox)
      out[name].slots = slots_of_outboxes;
  for (const auto& [name, pipeline] : state.pipelines) {
    for (const auto* stage : {split_stage, report_stage})
      out[stage_queue_name(name, stage)].slots = slots_of_batches;
    for (const auto& stage : pipeline.stages)
      if (stage.kind != handler_kind::external)
        out[stage_queue_name(name, stage.name)] = slots_of(stage, node);
  }
  return out;
}

} // namespace depositd::rules
