#include "actors/engine/node_face.hpp"

#include "actors/rules/control/control.hpp"
#include "messages/senders.hpp"

namespace depositd::engine {

namespace {

using self_pointer = actor_with<node_face_state>*;

/// Of watchers, and of those who wait for the first state.
constexpr std::size_t watchers_max = 1'000;

caf::result<control_changed> watch(self_pointer self, const watch_control& x) {
  auto& state = self->state;
  if (state.watchers.size() >= watchers_max
      || state.waiting.size() >= watchers_max)
    return caf::make_error(ec::overloaded, "too many nodes watch this engine");
  if (x.who) {
    state.watchers.push_back(x.who);
    self->monitor(x.who->address());
  }
  if (state.control)
    return control_changed{state.control, state.revision};
  auto promise = self->make_response_promise<control_changed>();
  state.waiting.push_back(promise);
  return promise;
}

void take(self_pointer self, const control_changed& x) {
  auto& state = self->state;
  state.control =
    std::make_shared<const control_state>(rules::for_nodes(*x.state));
  state.revision = x.revision;
  state.options.given->review(x.state->operators);
  const control_changed told{state.control, state.revision};
  for (auto& promise : std::exchange(state.waiting, {}))
    promise.deliver(told);
  for (const auto& who : state.watchers)
    caf::anon_send(caf::actor_cast<caf::actor>(who), told);
}

caf::result<ports_opened> open(self_pointer self, const open_ports& x) {
  const auto& options = self->state.options;
  auto promise = self->make_response_promise<ports_opened>();
  self->request(options.shard, options.request_timeout, x)
    .then(
      [=](const ports_opened& found) mutable {
        for (const auto& port : found.ports)
          self->state.options.given->hand_out(port.queue, self->node());
        promise.deliver(found);
      },
      [=](const caf::error& why) mutable { promise.deliver(why); });
  return promise;
}

} // namespace

node_face_self::behavior_type node_face(actor_with<node_face_state>* self,
                                        node_face_options options) {
  self->state.options = std::move(options);
  self->set_down_handler([=](const caf::down_msg& x) {
    std::erase_if(self->state.watchers,
                  [&](const auto& who) { return who->address() == x.source; });
  });
  follow_control(self, self->state.options.shard);
  return {
    [=](const open_ports& x) { return open(self, x); },
    [=](const watch_control& x) { return watch(self, x); },
    [=](const control_changed& x) {
      if (is_of_this_process(self, self->current_sender()))
        take(self, x);
    },
  };
}

} // namespace depositd::engine
