#pragma once

// What has to be done now and then beside the stages, on a thread of its own.

#include "messages/actor_with.hpp"

#include <caf/allowed_unsafe_message_type.hpp>
#include <caf/typed_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <chrono>
#include <functional>

namespace depositd::stages {

/// To itself: it is time.
struct do_chore {};

using chore_actor = caf::typed_actor<caf::reacts_to<do_chore>>;

struct chore_options {
  std::function<bool()> work; ///< may block; false: it could not be done
  std::chrono::milliseconds pause{3'600'000};
  std::chrono::milliseconds retry{60'000}; ///< after what could not be done
};

struct chore_state {
  using interface = chore_actor;

  chore_options options;

  static inline const char* name = "chore";
};

/// Does it at once and after each pause. Wiring spawns it detached.
chore_actor::behavior_type chore(actor_with<chore_state>* self,
                                 chore_options options);

} // namespace depositd::stages

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(depositd::stages::do_chore)
