#include "adapters/doors/emodb/waiting_parts.hpp"

#include <spdlog/spdlog.h>

namespace depositd::emodb::waiting {

namespace {

/// No key is called so, whose claims would be taken for ours.
constexpr auto processor_name = "emodb/wait";

void attach_to(self_pointer self, const std::string& name,
               const waited_queue::port& port) {
  const auto queue = port.queue;
  self->monitor(queue);
  self
    ->request(queue, self->state.options.ask_timeout,
              attach{processor_actor{self}, processor_name, {}, 0, {}})
    .then(
      [=](const attached& x) {
        auto* at = find_queue(self, name);
        const auto found = [&] {
          for (auto& one : at->ports)
            if (one.queue == queue)
              return &one;
          return static_cast<waited_queue::port*>(nullptr);
        };
        if (auto* known = at ? found() : nullptr) {
          known->processor = x.processor;
          ask_counts(self, *at);
        } else {
          caf::anon_send(queue, detach{x.processor});
        }
      },
      [=](const caf::error& why) {
        spdlog::info("queue_not_watched queue={} reason=\"{}\"", name,
                     render(why));
        if (auto* at = find_queue(self, name))
          close(self, *at); // tried again
      });
}

} // namespace

void ask_counts(self_pointer self, const waited_queue& x) {
  for (const auto& port : x.ports)
    if (port.processor != 0) {
      settle_and_request what;
      what.processor = port.processor;
      what.counts = true;
      self->send(port.queue, std::move(what));
    }
}

void close(self_pointer self, waited_queue& x) {
  for (const auto& port : x.ports) {
    self->demonitor(port.queue.address());
    if (port.processor != 0)
      caf::anon_send(port.queue, detach{port.processor});
  }
  x.ports.clear();
}

void open(self_pointer self, const std::string& name, waited_queue& x) {
  const auto& state = self->state;
  if (x.opening || !x.ports.empty() || !state.control
      || state.control->queues.find(name) == state.control->queues.end())
    return;
  x.opening = true;
  const auto& options = state.options;
  self->request(options.shard, options.ask_timeout, open_ports{name})
    .then(
      [=](const ports_opened& opened) {
        auto* at = find_queue(self, name);
        if (!at)
          return;
        at->opening = false;
        for (const auto& port : opened.ports)
          at->ports.push_back({port.shard, port.queue, 0});
        for (const auto& port : at->ports)
          attach_to(self, name, port);
      },
      [=](const caf::error& why) {
        spdlog::info("queue_not_opened queue={} reason=\"{}\"", name,
                     render(why));
        if (auto* at = find_queue(self, name))
          at->opening = false; // tried again
      });
}

void port_down(self_pointer self, const caf::down_msg& down) {
  for (auto& [name, x] : self->state.queues)
    if (std::erase_if(x.ports, [&](const waited_queue::port& port) {
          return port.queue.address() == down.source;
        }))
      close(self, x); // all of it is opened again
}

} // namespace depositd::emodb::waiting
