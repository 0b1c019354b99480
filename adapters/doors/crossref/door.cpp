#include "adapters/doors/crossref/door.hpp"

#include "adapters/doors/crossref/parts.hpp"

#include <spdlog/spdlog.h>

namespace depositd::crossref {

namespace {

// Without accounts nobody can log in, so it asks until it is told.
void watch_accounts(door_pointer self) {
  const auto& options = self->state.options;
  self
    ->request(options.shard, options.ask_timeout,
              watch_control{caf::strong_actor_ptr{self->ctrl()}})
    .then([=](const control_changed& x) { take_accounts(self, x.state); },
          [=](const caf::error& why) {
            refuse_early(self);
            spdlog::warn("door_has_no_accounts reason=\"{}\"", render(why));
            self->delayed_send(self, std::chrono::seconds{1}, accounts_due{});
          });
}

} // namespace

door_actor::behavior_type door(door_actor::stateful_pointer<door_state> self,
                               door_options options) {
  self->state.options = std::move(options);
  watch_accounts(self);
  return {
    [=](const post& x) { take_post(self, x); },
    [=](const post_begun& x) { look_ahead(self, x); },
    [=](const poll& x) { take_poll(self, x); },
    [=](const control_changed& x) { take_accounts(self, x.state); },
    [=](accounts_due) { watch_accounts(self); },
  };
}

} // namespace depositd::crossref
