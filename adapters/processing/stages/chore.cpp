#include "adapters/processing/stages/chore.hpp"

#include <utility>

namespace depositd::stages {

chore_actor::behavior_type
chore(chore_actor::stateful_pointer<chore_state> self, chore_options options) {
  self->state.options = std::move(options);
  self->send(self, do_chore{});
  return {
    [=](do_chore) {
      const auto& with = self->state.options;
      with.work();
      self->delayed_send(self, with.pause, do_chore{});
    },
  };
}

} // namespace depositd::stages
