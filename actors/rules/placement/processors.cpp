#include "actors/rules/placement/processors.hpp"

#include <algorithm>
#include <utility>

namespace depositd::rules::placement {

namespace {

using stage_table = std::map<std::string, stage_slots>;

/// Whether items of such a queue are done by handlers of stages.
bool is_staged(queue_kind x) {
  return x == queue_kind::stage || x == queue_kind::outbox;
}

/// Whether the process may work on a stage's queue.
bool runs_stage(const slots_process& process, const stage_table& stages,
                const std::string& queue) {
  const auto at = stages.find(queue);
  return process.has_stage_handlers
         && (at == stages.end() || at->second.allowed);
}

/// The first type that is a queue decides ("metadata before query"). Empty: no
/// queue that is worked on here.
std::string queue_of(const control_state& state, const slots_process& process,
                     const stage_table& stages, const processor_spec& spec) {
  for (const auto& type : spec.types) {
    const auto at = state.queues.find(type);
    if (at == state.queues.end())
      continue;
    const bool here =
      !is_staged(at->second.kind) || runs_stage(process, stages, type);
    return here ? type : std::string{};
  }
  return {};
}

/// What is set up, wherever it may run.
std::map<std::string, processor_spec> all_specs(const control_state& state,
                                                const slots_process& process,
                                                const stage_table& stages) {
  std::map<std::string, processor_spec> out{state.processors.begin(),
                                            state.processors.end()};
  const bool is_node = !process.where.is_engine;
  if (is_node && process.slots)
    for (auto& [name, spec] : out)
      spec.slots = *process.slots;
  for (const auto& [queue, x] : stages)
    out.try_emplace(queue, processor_spec{queue, {queue}, x.slots, {}});
  // The engine was told to leave the work to others; nobody named an SP.
  if (is_node && state.configured.processors_count == 0)
    for (const auto& [name, settings] : state.queues)
      if (settings.kind == queue_kind::deposit)
        out.try_emplace(
          name,
          processor_spec{
            name, {name}, process.slots.value_or(process.slots_default), {}});
  return out;
}

/// Whether an operator wants it elsewhere only.
bool is_elsewhere(const control_state& state, const slots_process& process,
                  const std::string& name) {
  const auto at = state.placements.find(name);
  if (at == state.placements.end())
    return false;
  const auto& nodes = at->second.nodes;
  return std::find(nodes.begin(), nodes.end(), process.where.name)
         == nodes.end();
}

/// How slots of this queue are set, whatever SP they are of.
std::optional<stage_slots> terms_of(const control_state& state,
                                    const stage_table& stages,
                                    const std::string& queue) {
  if (!is_staged(state.queues.at(queue).kind))
    return std::nullopt;
  const auto at = stages.find(queue);
  return at == stages.end() ? stage_slots{} : at->second;
}

std::optional<stage_slots> without_number(std::optional<stage_slots> x) {
  if (x)
    x->slots = 0;
  return x;
}

} // namespace

std::map<std::string, placed_processor>
processors_of(const control_state& state, const slots_process& process) {
  const auto stages = process.has_stage_handlers
                        ? stage_slots_in(state, process.where)
                        : stage_table{};
  std::map<std::string, placed_processor> out;
  for (auto& [name, spec] : all_specs(state, process, stages)) {
    auto queue = queue_of(state, process, stages, spec);
    if (queue.empty() || is_elsewhere(state, process, name))
      continue;
    auto terms = terms_of(state, stages, queue);
    out.emplace(name, placed_processor{spec, std::move(queue), terms});
  }
  return out;
}

bool same_slots(const placed_processor& x, const placed_processor& y) {
  return x.queue == y.queue && x.spec.wants == y.spec.wants
         && without_number(x.stage) == without_number(y.stage);
}

} // namespace depositd::rules::placement
