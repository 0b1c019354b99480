#include "adapters/doors/crossref/door.hpp"

#include "adapters/doors/crossref/parts.hpp"

#include <spdlog/spdlog.h>

namespace depositd::crossref {

door_actor::behavior_type door(door_actor::stateful_pointer<door_state> self,
                               door_options options) {
  self->state.options = std::move(options);
  follow_control(self, self->state.options.shard,
                 {.patience = self->state.options.ask_timeout});
  return {
    [=](const deposit_request& x) { take_deposit(self, x); },
    [=](const deposit_begun& x) { look_ahead(self, x); },
    [=](const status_request& x) { take_status(self, x); },
    [=](const control_changed& x) { take_accounts(self, x.state); },
    [=](const control_unknown& x) {
      // Without accounts nobody can log in.
      refuse_early(self);
      spdlog::warn("door_has_no_accounts reason=\"{}\"", render(x.why));
    },
  };
}

} // namespace depositd::crossref
