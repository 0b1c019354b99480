#include "actors/processors/manager.hpp"

#include "actors/journal/gather.hpp"
#include "actors/processors/slot_rows.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

namespace depositd::processors {

namespace {

using self_pointer = actor_with<processor_manager_state>*;

/// This process, as whoever decides what it runs has to know it.
rules::placement::slots_process process_of(self_pointer self) {
  const auto& options = self->state.options;
  rules::placement::slots_process out;
  out.where = {.name = options.called,
               .is_engine = !options.node,
               .has_work_folder = true,
               .has_storage = options.has_storage};
  out.has_stage_handlers = options.spawn_stage_handler != nullptr;
  if (out.has_stage_handlers && options.has_work_folder)
    out.where.has_work_folder = options.has_work_folder();
  if (options.node) {
    out.slots = options.node->slots;
    out.slots_default = options.node->slots_default;
  }
  return out;
}

void look_if_attached(processor_manager_state& state) {
  if (state.unattached.empty() && state.attaching_slots.is_over())
    spdlog::info("processors_attached");
}

/// It is gone, or attaches nowhere any more.
void forget_slot(processor_manager_state& state, const caf::actor_addr& who) {
  std::erase_if(state.unattached,
                [&](const auto& slot) { return slot.first == who; });
  look_if_attached(state);
}

/// A slot that holds an item finishes it first; nobody waits for that here,
/// but a drain does.
void stop_slots(self_pointer self, managed_processor& x, std::size_t keep) {
  while (x.slots.size() > keep) {
    auto slot = x.slots.back();
    x.slots.pop_back();
    self->demonitor(slot.address());
    self->state.ending.push_back({slot, x.placed.queue});
    const auto forget = [=] {
      std::erase_if(self->state.ending,
                    [&](const auto& y) { return y.slot == slot; });
      forget_slot(self->state, slot.address());
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
  const auto& [spec, queue, stage] = x.placed;
  while (x.slots.size() < spec.slots) {
    processor_options slot;
    slot.node = options.node ? options.node->name : options.engine;
    slot.name = spec.name;
    slot.slot = static_cast<std::uint32_t>(x.slots.size() + 1);
    slot.queue = queue;
    slot.wants = spec.wants;
    slot.ports = ports;
    if (stage) {
      slot.handler = options.spawn_stage_handler(queue);
      slot.begun = options.stage_begun;
      slot.capacity = stage->capacity;
      slot.lease_ms = stage->lease_ms;
      slot.handler_timeout =
        std::chrono::milliseconds{stage->handler_timeout_ms};
    } else {
      slot.handler = options.spawn_handler();
    }
    slot.control = self->state.control;
    slot.owner = processor_manager_self{self};
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
    if (x.placed.queue != queue)
      continue;
    for (const auto& slot : x.slots)
      self->send(slot, use_ports{found});
    if (!state.draining)
      spawn_missing(self, x, found);
  }
}

/// Where a slot or a port is missing.
std::set<std::string> queues_missing(const processor_manager_state& state) {
  std::set<std::string> missing;
  const auto look = [&](const std::string& queue, bool slots_missing) {
    if (slots_missing || state.supplied.count(queue) == 0)
      missing.insert(queue);
  };
  for (const auto& [name, x] : state.processors)
    look(x.placed.queue,
         !state.draining && x.slots.size() < x.placed.spec.slots);
  for (const auto& x : state.ending)
    look(x.queue, false);
  return missing;
}

void open_queue_ports(self_pointer self, const std::string& queue) {
  const auto& options = self->state.options;
  const auto shard = options.shard;
  if (!shard)
    return; // the next engine is asked
  self->request(shard, options.request_timeout, open_ports{queue})
    .then(
      [=](const ports_opened& found) {
        if (self->state.options.shard != shard)
          return;
        supply(self, queue, found);
        if (queues_missing(self->state).empty()
            && self->state.supplying.is_over())
          spdlog::info("processors_go_on");
      },
      [=](const caf::error& why) {
        if (self->state.options.shard != shard)
          return;
        // What holds up one mostly holds up all, each second: the log may be
        // on the disk that fails.
        auto reason = render(why);
        if (!self->state.refill_due && self->state.supplying.is_new(reason))
          spdlog::warn("processors_wait queue={} reason=\"{}\"", queue,
                       reason);
        refill_soon(self);
      });
}

/// Asks for the ports of every queue where they are.
void fill_slots(self_pointer self) {
  for (const auto& queue : queues_missing(self->state))
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
  const auto wanted =
    rules::placement::processors_of(*control, process_of(self));
  for (auto at = state.processors.begin(); at != state.processors.end();) {
    const auto found = wanted.find(at->first);
    if (found == wanted.end()
        || found->second.queue != at->second.placed.queue) {
      stop_slots(self, at->second, 0);
      at = state.processors.erase(at);
    } else {
      ++at;
    }
  }
  for (const auto& [name, placed] : wanted) {
    auto [at, fresh] = state.processors.try_emplace(name);
    auto& x = at->second;
    if (!fresh && !rules::placement::same_slots(x.placed, placed))
      stop_slots(self, x, 0);
    x.placed = placed;
    stop_slots(self, x, placed.spec.slots);
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

void note(self_pointer self, const attaching& x) {
  auto& state = self->state;
  const std::pair slot{caf::actor_cast<caf::actor_addr>(self->current_sender()),
                       x.shard};
  if (x.reason.empty()) {
    state.unattached.erase(slot);
    look_if_attached(state);
    return;
  }
  state.unattached.insert(slot);
  if (state.attaching_slots.is_new(x.reason))
    spdlog::warn("processor_not_attached sp={} queue={} reason=\"{}\"", x.slot,
                 x.queue, x.reason);
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
  forget_slot(state, who);
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
    spread_over_slots(sum.entries);
  };
  return journal::gather<slots_report>(
    self, [&](const journal::gathering<slots_report>& all) {
      for (const auto& [name, x] : self->state.processors)
        for (const auto& slot : x.slots)
          all.ask<slots_report>(self, slot, self->state.options.request_timeout,
                                report_slot{}, add, journal::only_counts);
    });
}

/// An error if not all slots have come to an end in time.
caf::result<done> drain_all(self_pointer self, const drain& x) {
  self->state.draining = true;
  return journal::answer_later<done>(self, [&](auto then) {
    const journal::gathering<std::size_t> all{
      [then](const caf::expected<std::size_t>& busy) mutable {
        if (*busy == 0)
          then(done{});
        else
          then(caf::make_error(ec::overloaded, "slots that still work: "
                                                 + std::to_string(*busy)));
      }};
    const auto late = [](std::size_t& busy, const caf::error& why) {
      if (why == caf::sec::request_timeout) // else it is gone
        ++busy;
    };
    const auto await_end = [&](const processor_self& slot) {
      all.ask<done>(self, slot, std::chrono::milliseconds{x.within_ms},
                    finish_slot{}, journal::only_counts, late);
    };
    for (const auto& [name, managed] : self->state.processors)
      for (const auto& slot : managed.slots)
        await_end(slot);
    for (const auto& ending : self->state.ending)
      await_end(ending.slot);
    all.close();
  });
}

} // namespace

processor_manager_self::behavior_type
processor_manager(actor_with<processor_manager_state>* self,
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
    [=](const attaching& x) { note(self, x); },
    [=](report_slots) { return report_all(self); },
    [=](const drain& x) { return drain_all(self, x); },
  };
}

} // namespace depositd::processors
