#include "actors/processor_manager.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

namespace depositd {

namespace {

using self_pointer =
  processor_manager_self::stateful_pointer<processor_manager_state>;

/// The first type that is a queue decides ("metadata before query").
std::string queue_of(const control_state& control, const processor_spec& spec) {
  for (const auto& type : spec.types)
    if (control.queues.count(type) > 0)
      return type;
  return {};
}

/// A slot that holds an item finishes it first; nobody waits for that here,
/// but a drain does.
void stop_slots(self_pointer self, managed_processor& x, std::size_t keep) {
  while (x.slots.size() > keep) {
    auto slot = x.slots.back();
    x.slots.pop_back();
    self->demonitor(slot.address());
    self->state.ending.push_back(slot);
    const auto forget = [=] {
      auto& ending = self->state.ending;
      ending.erase(std::remove(ending.begin(), ending.end(), slot),
                   ending.end());
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

/// One timer for all that is missing: each refill asks for every processor, so
/// a timer of each that fails would double them every second.
void refill_soon(self_pointer self) {
  if (std::exchange(self->state.refill_due, true))
    return;
  self->delayed_send(self, std::chrono::seconds{1}, refill_slots{});
}

void fill_slots(self_pointer self, const std::string& name) {
  const auto& options = self->state.options;
  const auto at = self->state.processors.find(name);
  if (at == self->state.processors.end() || self->state.draining)
    return;
  const auto spec = at->second.spec;
  self
    ->request(options.shard, options.request_timeout,
              open_queue{at->second.queue})
    .then(
      [=](const queue_door_actor& door) {
        const auto found = self->state.processors.find(name);
        if (found == self->state.processors.end()
            || !(found->second.spec == spec) || self->state.draining)
          return;
        auto& slots = found->second.slots;
        const auto& opt = self->state.options;
        while (slots.size() < spec.slots) {
          auto slot = self->spawn(
            processor,
            processor_options{
              spec.name, static_cast<std::uint32_t>(slots.size() + 1),
              found->second.queue, spec.wants, door, opt.handler, opt.clock});
          self->monitor(slot);
          slots.push_back(std::move(slot));
        }
      },
      [=](const caf::error& why) {
        spdlog::warn("processor_waits sp={} reason=\"{}\"", name, render(why));
        refill_soon(self);
      });
}

void follow(self_pointer self, const control_snapshot& control) {
  auto& state = self->state;
  state.control = control;
  if (state.draining)
    return;
  for (auto at = state.processors.begin(); at != state.processors.end();) {
    const auto wanted = control->processors.find(at->first);
    if (wanted == control->processors.end()
        || queue_of(*control, wanted->second) != at->second.queue) {
      stop_slots(self, at->second, 0);
      at = state.processors.erase(at);
    } else {
      ++at;
    }
  }
  for (const auto& [name, spec] : control->processors) {
    const auto queue = queue_of(*control, spec);
    if (queue.empty())
      continue;
    auto [at, fresh] = state.processors.try_emplace(name);
    auto& x = at->second;
    if (!fresh && !(x.spec.wants == spec.wants))
      stop_slots(self, x, 0); // criteria are fixed when a slot attaches
    x.spec = spec;
    x.queue = queue;
    stop_slots(self, x, spec.slots);
    if (x.slots.size() < spec.slots)
      fill_slots(self, name);
  }
}

/// A slot went: its queue started over, or it failed. It comes again.
void slot_down(self_pointer self, const caf::actor_addr& who) {
  for (auto& [name, x] : self->state.processors) {
    const auto gone =
      std::find_if(x.slots.begin(), x.slots.end(),
                   [&](const auto& slot) { return slot.address() == who; });
    if (gone == x.slots.end())
      continue;
    x.slots.erase(gone);
    // Not at once: the shard may need a moment to be there again.
    refill_soon(self);
    return;
  }
}

struct gathered_slots {
  caf::typed_response_promise<slots_report> promise;
  slots_report report;
  std::size_t open = 1;

  void arrived() {
    if (--open == 0)
      promise.deliver(std::move(report));
  }
};

caf::result<slots_report> report_all(self_pointer self) {
  auto all = std::make_shared<gathered_slots>();
  all->promise = self->make_response_promise<slots_report>();
  for (const auto& [name, x] : self->state.processors)
    for (const auto& slot : x.slots) {
      ++all->open;
      self->request(slot, self->state.options.request_timeout, report_slot{})
        .then(
          [=](const slots_report& one) {
            all->report.entries.insert(all->report.entries.end(),
                                       one.entries.begin(), one.entries.end());
            all->arrived();
          },
          [=](const caf::error&) { all->arrived(); });
    }
  auto promise = all->promise;
  all->arrived();
  return promise;
}

struct pending_drain {
  caf::typed_response_promise<done> promise;
  std::size_t open = 1;

  void arrived() {
    if (--open == 0)
      promise.deliver(done{});
  }
};

caf::result<done> drain_all(self_pointer self, const drain& x) {
  self->state.draining = true;
  auto all = std::make_shared<pending_drain>();
  all->promise = self->make_response_promise<done>();
  const auto await_end = [&](const processor_self& slot) {
    ++all->open;
    self->request(slot, std::chrono::milliseconds{x.within_ms}, finish_slot{})
      .then([=](const done&) { all->arrived(); },
            [=](const caf::error&) { all->arrived(); });
  };
  for (const auto& [name, managed] : self->state.processors)
    for (const auto& slot : managed.slots)
      await_end(slot);
  for (const auto& slot : self->state.ending)
    await_end(slot);
  auto promise = all->promise;
  all->arrived();
  return promise;
}

} // namespace

processor_manager_self::behavior_type processor_manager(
  processor_manager_self::stateful_pointer<processor_manager_state> self,
  processor_manager_options options) {
  self->state.options = std::move(options);
  self->set_down_handler(
    [=](const caf::down_msg& x) { slot_down(self, x.source); });
  self
    ->request(self->state.options.shard, self->state.options.request_timeout,
              watch_control{caf::strong_actor_ptr{self->ctrl()}})
    .then([=](const control_changed& x) { follow(self, x.state); },
          [](const caf::error& why) {
            spdlog::error("processors_not_started reason=\"{}\"", render(why));
          });
  return {
    [=](const control_changed& x) { follow(self, x.state); },
    [=](refill_slots) {
      self->state.refill_due = false;
      if (const auto newest = self->state.control)
        follow(self, newest);
    },
    [=](report_slots) { return report_all(self); },
    [=](const drain& x) { return drain_all(self, x); },
  };
}

} // namespace depositd
