#include "adapters/node/joiner.hpp"

#include "messages/operators.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <set>
#include <utility>

namespace depositd::node {

namespace {

using self_pointer = actor_with<joiner_state>*;

void try_later(self_pointer self) {
  auto& state = self->state;
  self->delayed_send(self, state.pause, join_now{});
  state.pause = std::min(state.pause * 2, state.options.pause_max);
}

void not_joined(self_pointer self, const std::string& why) {
  auto& state = self->state;
  // An engine that is away for an hour is worth a line, not a thousand.
  if (std::exchange(state.trouble, why) != why)
    spdlog::warn("engine_not_joined engine={} reason=\"{}\"",
                 to_string(state.options.engine), why);
  try_later(self);
}

void taken_in(self_pointer self, const admin_actor& engine,
              const node_joined& x) {
  auto& state = self->state;
  state.engine = engine;
  state.pause = state.options.pause_min;
  state.trouble.clear();
  self->monitor(engine);
  spdlog::info("engine_joined engine={} name={}",
               to_string(state.options.engine), x.engine);
  state.options.joined(x);
}

void introduce_node(self_pointer self, const admin_actor& engine) {
  const auto& options = self->state.options;
  self->request(engine, options.attempt_timeout, options.introduction)
    .then([=](const node_joined& x) { taken_in(self, engine, x); },
          [=](const caf::error& why) { not_joined(self, render(why)); });
}

void connect(self_pointer self) {
  const auto& options = self->state.options;
  self
    ->request(options.middleman, options.attempt_timeout,
              caf::connect_atom_v, options.engine.host, options.engine.port)
    .then(
      [=](const caf::node_id&, const caf::strong_actor_ptr& found,
          const std::set<std::string>& interface) {
        if (!found)
          not_joined(self, "nothing is published at this port");
        else if (!self->system().assignable<admin_actor>(interface))
          not_joined(self, "this is no depositd of our version");
        else
          introduce_node(self, caf::actor_cast<admin_actor>(found));
      },
      [=](const caf::error& why) { not_joined(self, render(why)); });
}

void engine_down(self_pointer self, const caf::down_msg& x) {
  auto& state = self->state;
  if (!state.engine || state.engine.address() != x.source)
    return;
  state.engine = nullptr;
  spdlog::warn("engine_lost engine={} reason=\"{}\"",
               to_string(state.options.engine), render(x.reason));
  state.options.lost();
  try_later(self);
}

} // namespace

joiner_actor::behavior_type joiner(actor_with<joiner_state>* self,
                                   joiner_options options) {
  self->state.options = std::move(options);
  self->state.pause = self->state.options.pause_min;
  self->set_down_handler(
    [=](const caf::down_msg& x) { engine_down(self, x); });
  self->send(self, join_now{});
  return {
    [=](join_now) { connect(self); },
  };
}

} // namespace depositd::node
