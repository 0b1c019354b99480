#include "messages/follow_control.hpp"

#include "messages/shard.hpp"

#include <caf/actor_system.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/send.hpp>

namespace depositd {

namespace {

/// To itself: ask for the control state.
struct ask_source {};

/// Stands between, so that an answer is never told after what is newer.
caf::behavior follower(caf::event_based_actor* self, const caf::actor& who,
                       const control_source_actor& source, bool tells,
                       follow_options options) {
  self->monitor(who);
  self->set_down_handler([=](const caf::down_msg&) { self->quit(); });
  self->send(self, ask_source{});
  return {
    [=](ask_source) {
      self
        ->request(source, options.patience,
                  watch_control{caf::strong_actor_ptr{self->ctrl()}})
        .then([=](const control_changed& x) { self->send(who, x); },
              [=](const caf::error& why) {
                if (tells)
                  self->send(who, control_unknown{why});
                self->delayed_send(self, options.again_after, ask_source{});
              });
    },
    [=](const control_changed& x) { self->send(who, x); },
  };
}

} // namespace

caf::actor spawn_follower(caf::scheduled_actor* self,
                          const control_source_actor& source, bool tells,
                          follow_options options) {
  return self->home_system().spawn(follower, caf::actor_cast<caf::actor>(self),
                                   source, tells, options);
}

} // namespace depositd

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(depositd::ask_source)
