#include "actors/rules/control/stage_slots.hpp"

#include "actors/rules/control/pipelines.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace depositd::rules {

namespace {

/// Splitting and reporting are short; two of each keep one slow batch from
/// holding up the others.
constexpr std::uint32_t slots_of_batches = 2;

/// Telling takes seconds, or a minute where nobody answers.
constexpr std::uint32_t slots_of_outboxes = 8;

/// A program is killed at its time limit, and says so.
constexpr std::uint64_t exec_grace_ms = 60'000;

constexpr const char* split_handler = "merritt.split";
constexpr const char* report_handler = "merritt.report";
constexpr std::array order_handlers = {
  "aptrust.restore_file", "aptrust.restore_object", "aptrust.restore_glacier",
  "aptrust.delete_item", "aptrust.fixity_check"};

bool is_allowed(const stage_settings& x, const stage_process& where) {
  const auto needs = needs_of(x);
  return (x.nodes.empty()
          || std::find(x.nodes.begin(), x.nodes.end(), where.name)
               != x.nodes.end())
         && (!needs.work_folder || where.has_work_folder)
         && (!needs.storage || where.has_storage)
         && (!needs.engine || where.is_engine);
}

bool is_aptrust(const stage_settings& x) {
  return x.kind == handler_kind::built_in && x.handler.starts_with("aptrust.");
}

/// How many items a slot holds. APTrust's buffer is what a process holds in
/// all, its workers' items among them; everywhere else it is what each slot
/// fetches beside its own.
std::uint32_t capacity_of(const stage_settings& x, std::uint32_t slots) {
  if (!is_aptrust(x))
    return 1 + x.buffer;
  return slots == 0 ? 1 : std::max(x.buffer / slots, 1u);
}

stage_slots slots_of(const stage_settings& x, const stage_process& where) {
  stage_slots out;
  out.allowed = is_allowed(x, where);
  out.slots = out.allowed ? std::min(x.workers, x.workers_per_node) : 0;
  out.capacity = capacity_of(x, out.slots);
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

stage_needs needs_of(const stage_settings& x) {
  if (x.kind != handler_kind::built_in)
    return {};
  if (x.handler == "merritt.notify" || x.handler == report_handler)
    return {.engine = true};
  // Their inventory is an engine's own, and so is what queues orders.
  for (const auto* name : order_handlers)
    if (x.handler == name)
      return {.work_folder = true, .engine = true};
  if (x.handler == split_handler)
    return {.work_folder = true, .engine = true};
  if (x.handler == "merritt.store")
    return {.work_folder = true, .storage = true};
  // Early stages ask the read model what else is on its way.
  for (const auto* early :
       {"aptrust.prefetch", "aptrust.validate", "aptrust.reingest",
        "aptrust.stage", "aptrust.identify"})
    if (x.handler == early)
      return {.work_folder = true, .engine = true};
  for (const auto* late : {"aptrust.store", "aptrust.check", "aptrust.record"})
    if (x.handler == late)
      return {.work_folder = true, .storage = true};
  return {.work_folder = x.handler.starts_with("merritt.") || is_aptrust(x)};
}

std::map<std::string, stage_slots> stage_slots_in(const control_state& state,
                                                  const stage_process& where) {
  std::map<std::string, stage_slots> out;
  for (const auto& [name, settings] : state.queues)
    if (settings.kind == queue_kind::outbox) {
      auto& slots = out[name];
      slots.allowed = where.is_engine;
      slots.slots = where.is_engine ? slots_of_outboxes : 0;
    }
  for (const auto& [name, pipeline] : state.pipelines) {
    for (const auto& [stage, handler] :
         {std::pair{split_stage, split_handler},
          std::pair{report_stage, report_handler}}) {
      stage_settings what{.name = stage, .handler = handler};
      what.workers = slots_of_batches;
      out[stage_queue_name(name, stage)] = slots_of(what, where);
    }
    for (const auto& stage : pipeline.stages)
      if (stage.kind != handler_kind::external)
        out[stage_queue_name(name, stage.name)] = slots_of(stage, where);
  }
  return out;
}

std::uint32_t workers_of(const control_state& state, const std::string& queue) {
  const auto place = find_stage(state, queue);
  if (place.of == nullptr)
    return no_cap;
  const auto& stage = place.of->stages[place.index];
  return stage.kind == handler_kind::external ? no_cap : stage.workers;
}

} // namespace depositd::rules
