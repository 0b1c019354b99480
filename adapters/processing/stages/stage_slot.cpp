#include "adapters/processing/stages/stage_slot.hpp"

#include <caf/send.hpp>

#include <utility>

namespace depositd::stages {

namespace {

using self_pointer = stage_slot_self::stateful_pointer<stage_slot_state>;

/// Blocks: is detached.
handler_actor::behavior_type
stage_worker(handler_actor::pointer, std::shared_ptr<const stage_work> work) {
  return {
    [=](handle_item& x) { return work->handle(x); },
  };
}

void look_later(self_pointer self) {
  if (!std::exchange(self->state.look_due, true))
    self->delayed_send(self, self->state.options.idle_max, look_idle{});
}

void look(self_pointer self) {
  auto& state = self->state;
  state.look_due = false;
  if (!state.worker)
    return;
  if (std::exchange(state.used, false) || state.in_work > 0) {
    look_later(self);
    return;
  }
  self->demonitor(state.worker.address());
  self->send_exit(state.worker, caf::exit_reason::user_shutdown);
  state.worker = nullptr;
}

caf::result<outcome> hand_over(self_pointer self, handle_item& x) {
  auto& state = self->state;
  if (!state.worker) {
    state.worker = self->spawn<caf::detached + caf::monitored>(
      stage_worker, state.options.work);
  }
  state.used = true;
  ++state.in_work;
  look_later(self);
  auto promise = self->make_response_promise<outcome>();
  // The slot that asks has a time limit.
  self->request(state.worker, caf::infinite, std::move(x))
    .then(
      [=](outcome& ended) mutable {
        --self->state.in_work;
        promise.deliver(std::move(ended));
      },
      [=](caf::error& why) mutable {
        --self->state.in_work;
        promise.deliver(std::move(why));
      });
  return promise;
}

} // namespace

stage_slot_state::~stage_slot_state() {
  if (worker)
    caf::anon_send_exit(worker, caf::exit_reason::user_shutdown);
}

stage_slot_self::behavior_type
stage_slot(stage_slot_self::stateful_pointer<stage_slot_state> self,
           stage_slot_options options) {
  self->state.options = std::move(options);
  self->set_down_handler([=](const caf::down_msg& x) {
    if (self->state.worker && x.source == self->state.worker.address())
      self->quit(x.reason); // what it held is handed out again
  });
  return {
    [=](handle_item& x) -> caf::result<outcome> {
      if (auto ended = self->state.options.work->at_once(x))
        return std::move(*ended);
      return hand_over(self, x);
    },
    [=](look_idle) { look(self); },
  };
}

} // namespace depositd::stages
