#include "actors/engine/supervisor.hpp"

#include "actors/journal/reply.hpp"
#include "messages/operators.hpp"
#include "messages/projection.hpp"
#include "messages/shard.hpp"

#include <spdlog/spdlog.h>

namespace depositd::engine {

namespace {

using self_pointer = actor_with<supervisor_state>*;

std::chrono::milliseconds patience(self_pointer self) {
  // Longer than the drain itself: its answer has a way to go.
  return std::chrono::milliseconds{self->state.options.drain_ms + 2000};
}

void note(const char* what, const caf::error& why) {
  spdlog::warn("drain_incomplete part={} reason=\"{}\"", what, render(why));
}

void settle_projection(self_pointer self, const reply_address& where) {
  submission_query nothing;
  nothing.count_max = 1;
  nothing.with_documents = false;
  const auto finish = [=] {
    journal::answer(where, caf::make_message(done{}));
  };
  if (!self->state.options.projector) {
    finish();
    return;
  }
  self->request(self->state.options.projector, patience(self), nothing)
    .then([=](const submissions_found&) { finish(); },
          [=](const caf::error& why) {
            note("projection", why);
            finish();
          });
}

void drain_processors(self_pointer self, const reply_address& where) {
  self
    ->request(self->state.options.processors, patience(self),
              drain{self->state.options.drain_ms})
    .then([=](const done&) { settle_projection(self, where); },
          [=](const caf::error& why) {
            note("processors", why);
            settle_projection(self, where);
          });
}

caf::result<done> stop(self_pointer self) {
  self->state.stopping = true;
  const auto where = journal::take_reply(self);
  self->request(self->state.options.shard, patience(self), drain{})
    .then([=](const done&) { drain_processors(self, where); },
          [=](const caf::error& why) {
            note("shard", why);
            drain_processors(self, where);
          });
  return journal::answered_later<done>();
}

void down(self_pointer self, const caf::down_msg& x) {
  if (self->state.stopping)
    return;
  for (const auto& [name, who] : self->state.options.watched)
    if (who && who->address() == x.source)
      self->state.options.failed(name, x.reason);
}

} // namespace

supervisor_actor::behavior_type supervisor(actor_with<supervisor_state>* self,
                                           supervisor_options options) {
  self->state.options = std::move(options);
  self->set_down_handler([=](const caf::down_msg& x) { down(self, x); });
  for (const auto& [name, who] : self->state.options.watched)
    self->monitor(who);
  return {
    [=](stop_engine) { return stop(self); },
  };
}

} // namespace depositd::engine
