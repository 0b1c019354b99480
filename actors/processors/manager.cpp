#include "actors/processors/manager.hpp"

#include "actors/journal/gather.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

namespace depositd::processors {

namespace {

using self_pointer =
  processor_manager_self::stateful_pointer<processor_manager_state>;

using stage_table = std::map<std::string, rules::stage_slots>;

/// Whether this process may work on a stage's queue.
bool runs_stage(self_pointer self, const stage_table& stages,
                const std::string& queue) {
  const auto at = stages.find(queue);
  return self->state.options.spawn_stage_handler
         && (at == stages.end() || at->second.allowed);
}

/// Whether items of such a queue are done by handlers of stages.
bool is_staged(queue_kind x) {
  return x == queue_kind::stage || x == queue_kind::outbox;
}

/// The first type that is a queue decides ("metadata before query"). Empty: no
/// queue that is worked on here.
std::string queue_of(self_pointer self, const control_state& control,
                     const stage_table& stages, const processor_spec& spec) {
  for (const auto& type : spec.types) {
    const auto at = control.queues.find(type);
    if (at == control.queues.end())
      continue;
    const bool here =
      !is_staged(at->second.kind) || runs_stage(self, stages, type);
    return here ? type : std::string{};
  }
  return {};
}

/// What is set up, wherever it may run.
std::map<std::string, processor_spec> all_specs(self_pointer self,
                                                const control_state& control,
                                                const stage_table& stages) {
  std::map<std::string, processor_spec> out{control.processors.begin(),
                                            control.processors.end()};
  const auto& node = self->state.options.node;
  if (node && node->slots)
    for (auto& [name, spec] : out)
      spec.slots = *node->slots;
  for (const auto& [queue, x] : stages)
    out.try_emplace(queue, processor_spec{queue, {queue}, x.slots, {}});
  if (!node)
    return out;
  // The engine was told to leave the work to others; nobody named an SP.
  if (control.configured.processors_count == 0)
    for (const auto& [name, settings] : control.queues)
      if (settings.kind == queue_kind::deposit)
        out.try_emplace(name, processor_spec{
                                name,
                                {name},
                                node->slots.value_or(node->slots_default),
                                {}});
  return out;
}

/// What this node runs of what the control state says.
std::map<std::string, processor_spec> specs_of(self_pointer self,
                                               const control_state& control,
                                               const stage_table& stages) {
  auto out = all_specs(self, control, stages);
  for (const auto& [name, x] : control.placements)
    if (std::count(x.nodes.begin(), x.nodes.end(), self->state.options.called)
        == 0)
      out.erase(name);
  return out;
}

stage_table stages_here(self_pointer self, const control_state& control) {
  const auto& options = self->state.options;
  if (!options.spawn_stage_handler)
    return {};
  return rules::stage_slots_in(
    control,
    {.name = options.called,
     .is_engine = !options.node,
     .has_work_folder = !options.has_work_folder || options.has_work_folder(),
     .has_storage = options.has_storage});
}

/// How slots of this queue are set, whatever SP they are of.
std::optional<rules::stage_slots> terms_of(const control_state& control,
                                           const stage_table& stages,
                                           const std::string& queue) {
  if (!is_staged(control.queues.at(queue).kind))
    return std::nullopt;
  const auto at = stages.find(queue);
  return at == stages.end() ? rules::stage_slots{} : at->second;
}

bool same_terms(std::optional<rules::stage_slots> x,
                std::optional<rules::stage_slots> y) {
  if (x)
    x->slots = 0; // their number may change while they run
  if (y)
    y->slots = 0;
  return x == y;
}

/// A slot that holds an item finishes it first; nobody waits for that here,
/// but a drain does.
void stop_slots(self_pointer self, managed_processor& x, std::size_t keep) {
  while (x.slots.size() > keep) {
    auto slot = x.slots.back();
    x.slots.pop_back();
    self->demonitor(slot.address());
    self->state.ending.push_back({slot, x.queue});
    const auto forget = [=] {
      std::erase_if(self->state.ending,
                    [&](const auto& y) { return y.slot == slot; });
    };
    // As long as its handler takes, which has a time limit of its own.
    self->request(slot, caf::infinite, finish_slot{})
      .then(
        [=](const done&) {
          forget();
          self->send_exit(slot, caf::exit_reason::user_shutdown);
        },
        [=](const caf::error&) {
          forget(); /* it is gone already */
        });
  }
}

/// One timer for all that is missing: each refill asks for every queue, so a
/// timer of each that fails would double them every second.
void refill_soon(self_pointer self) {
  if (std::exchange(self->state.refill_due, true))
    return;
  self->delayed_send(self, std::chrono::seconds{1}, refill_slots{});
}

void spawn_missing(self_pointer self, managed_processor& x,
                   const ports_opened& ports) {
  const auto& options = self->state.options;
  if (!self->state.control)
    return; // the next engine tells it, and asks for slots again
  while (x.slots.size() < x.spec.slots) {
    processor_options slot;
    slot.node = options.node ? options.node->name : options.engine;
    slot.name = x.spec.name;
    slot.slot = static_cast<std::uint32_t>(x.slots.size() + 1);
    slot.queue = x.queue;
    slot.wants = x.spec.wants;
    slot.ports = ports;
    if (x.stage) {
      slot.handler = options.spawn_stage_handler(x.queue);
      slot.capacity = x.stage->capacity;
      slot.lease_ms = x.stage->lease_ms;
      slot.handler_timeout =
        std::chrono::milliseconds{x.stage->handler_timeout_ms};
    } else {
      slot.handler = options.spawn_handler();
    }
    slot.control = self->state.control;
    slot.owner = caf::strong_actor_ptr{self->ctrl()};
    slot.clock = options.clock;
    x.slots.push_back(self->spawn(processor, std::move(slot)));
    self->monitor(x.slots.back());
  }
}

/// Of an engine behind another one nobody says that it is gone, so whoever has
/// such ports asks for them again and again.
void refresh_later(self_pointer self, const ports_opened& found) {
  auto& state = self->state;
  const auto here = self->node();
  const bool all_here =
    std::all_of(found.ports.begin(), found.ports.end(),
                [&](const auto& x) { return x.queue.node() == here; });
  if (all_here || std::exchange(state.refresh_due, true))
    return;
  self->delayed_send(self, state.options.refresh_every, refresh_ports{});
}

/// Every slot of the queue gets its ports, those that end included: they have
/// outcomes to deliver.
void supply(self_pointer self, const std::string& queue,
            const ports_opened& found) {
  auto& state = self->state;
  state.supplied.insert(queue);
  refresh_later(self, found);
  for (const auto& port : found.ports)
    if (state.ports.emplace(port.queue.address(), queue).second)
      self->monitor(port.queue);
  for (const auto& x : state.ending)
    if (x.queue == queue)
      self->send(x.slot, use_ports{found});
  for (auto& [name, x] : state.processors) {
    if (x.queue != queue)
      continue;
    for (const auto& slot : x.slots)
      self->send(slot, use_ports{found});
    if (!state.draining)
      spawn_missing(self, x, found);
  }
}

void open_queue_ports(self_pointer self, const std::string& queue) {
  const auto& options = self->state.options;
  const auto shard = options.shard;
  if (!shard)
    return; // the next engine is asked
  self->request(shard, options.request_timeout, open_ports{queue})
    .then(
      [=](const ports_opened& found) {
        if (self->state.options.shard == shard)
          supply(self, queue, found);
      },
      [=](const caf::error& why) {
        if (self->state.options.shard != shard)
          return;
        spdlog::warn("processors_wait queue={} reason=\"{}\"", queue,
                     render(why));
        refill_soon(self);
      });
}

/// Asks for the ports of every queue where a slot or a port is missing.
void fill_slots(self_pointer self) {
  auto& state = self->state;
  std::set<std::string> missing;
  const auto look = [&](const std::string& queue, bool slots_missing) {
    if (slots_missing || state.supplied.count(queue) == 0)
      missing.insert(queue);
  };
  for (const auto& [name, x] : state.processors)
    look(x.queue, !state.draining && x.slots.size() < x.spec.slots);
  for (const auto& x : state.ending)
    look(x.queue, false);
  for (const auto& queue : missing)
    open_queue_ports(self, queue);
}

void follow(self_pointer self, const control_snapshot& control) {
  auto& state = self->state;
  state.control = control;
  for (const auto& [name, x] : state.processors)
    for (const auto& slot : x.slots)
      self->send(slot, control_changed{control});
  if (state.draining) {
    fill_slots(self);
    return;
  }
  const auto stages = stages_here(self, *control);
  const auto specs = specs_of(self, *control, stages);
  for (auto at = state.processors.begin(); at != state.processors.end();) {
    const auto wanted = specs.find(at->first);
    if (wanted == specs.end()
        || queue_of(self, *control, stages, wanted->second)
             != at->second.queue) {
      stop_slots(self, at->second, 0);
      at = state.processors.erase(at);
    } else {
      ++at;
    }
  }
  for (const auto& [name, spec] : specs) {
    const auto queue = queue_of(self, *control, stages, spec);
    if (queue.empty())
      continue;
    auto [at, fresh] = state.processors.try_emplace(name);
    auto& x = at->second;
    x.queue = queue;
    const auto stage = terms_of(*control, stages, queue);
    if (!fresh
        && (!(x.spec.wants == spec.wants) || !same_terms(x.stage, stage)))
      stop_slots(self, x, 0); // these are fixed when a slot attaches
    x.spec = spec;
    x.stage = stage;
    stop_slots(self, x, spec.slots);
  }
  fill_slots(self);
}

void watch_engine(self_pointer self) {
  auto& state = self->state;
  const auto& options = state.options;
  self->send_exit(state.following, caf::exit_reason::user_shutdown);
  if (options.shard) // else the next engine is asked
    state.following = follow_control(self, options.shard,
                                     {.patience = options.request_timeout});
}

/// Another engine to work for, or none for now.
void meet(self_pointer self, const meet_shard& x) {
  auto& state = self->state;
  state.options.shard = caf::actor_cast<shard_processors_actor>(x.shard);
  state.supplied.clear();
  state.control = nullptr;
  watch_engine(self);
}

/// A slot went, because it failed, or a port, because its queue started over
/// or moved. They come again.
void gone(self_pointer self, const caf::actor_addr& who) {
  auto& state = self->state;
  if (const auto port = state.ports.find(who); port != state.ports.end()) {
    state.supplied.erase(port->second);
    state.ports.erase(port);
  }
  for (auto& [name, x] : state.processors)
    std::erase_if(x.slots,
                  [&](const auto& slot) { return slot.address() == who; });
  // Not at once: the shard may need a moment to be there again.
  refill_soon(self);
}

void refill(self_pointer self) {
  auto& state = self->state;
  state.refill_due = false;
  if (const auto newest = state.control)
    follow(self, newest);
}

caf::result<slots_report> report_all(self_pointer self) {
  const auto add = [](slots_report& sum, const slots_report& x) {
    sum.entries.insert(sum.entries.end(), x.entries.begin(), x.entries.end());
  };
  return journal::gather<slots_report>(
    self, [&](const journal::gathering<slots_report>& all) {
      for (const auto& [name, x] : self->state.processors)
        for (const auto& slot : x.slots)
          all.ask<slots_report>(self, slot, self->state.options.request_timeout,
                                report_slot{}, add, journal::only_counts);
    });
}

caf::result<done> drain_all(self_pointer self, const drain& x) {
  self->state.draining = true;
  return journal::gather<done>(self, [&](const journal::gathering<done>& all) {
    const auto await_end = [&](const processor_self& slot) {
      all.ask<done>(self, slot, std::chrono::milliseconds{x.within_ms},
                    finish_slot{}, journal::only_counts, journal::only_counts);
    };
    for (const auto& [name, managed] : self->state.processors)
      for (const auto& slot : managed.slots)
        await_end(slot);
    for (const auto& ending : self->state.ending)
      await_end(ending.slot);
  });
}

} // namespace

processor_manager_self::behavior_type processor_manager(
  processor_manager_self::stateful_pointer<processor_manager_state> self,
  processor_manager_options options) {
  self->state.options = std::move(options);
  self->set_down_handler([=](const caf::down_msg& x) { gone(self, x.source); });
  watch_engine(self);
  return {
    [=](const control_changed& x) { follow(self, x.state); },
    [=](refill_slots) { refill(self); },
    [=](refresh_ports) {
      self->state.refresh_due = false;
      self->state.supplied.clear();
      fill_slots(self);
    },
    [=](const meet_shard& x) { meet(self, x); },
    [=](const control_unknown& x) {
      spdlog::error("processors_not_started reason=\"{}\"", render(x.why));
    },
    [=](report_slots) { return report_all(self); },
    [=](const drain& x) { return drain_all(self, x); },
  };
}

} // namespace depositd::processors
