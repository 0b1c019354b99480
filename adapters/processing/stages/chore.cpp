#include "adapters/processing/stages/chore.hpp"

#include <utility>

namespace depositd::stages {

chore_actor::behavior_type chore(actor_with<chore_state>* self,
                                 chore_options options) {
  self->state.options = std::move(options);
  self->send(self, do_chore{});
  return {
    [=](do_chore) {
      const auto& with = self->state.options;
      const auto wait = with.work() ? with.pause : with.retry;
      self->delayed_send(self, wait, do_chore{});
    },
  };
}

} // namespace depositd::stages
