#pragma once

// Who sent a message. Any node can send one to an actor whose number it
// guesses, also without a sender.

#include <caf/actor_proxy.hpp>
#include <caf/actor_registry.hpp>
#include <caf/actor_system.hpp>
#include <caf/local_actor.hpp>

namespace depositd {

/// Whether it is an actor of this process. One that other nodes know of is not
/// believed: they could send messages in its name.
inline bool is_of_this_process(caf::local_actor* self,
                               const caf::strong_actor_ptr& sender) {
  return sender && dynamic_cast<caf::actor_proxy*>(sender->get()) == nullptr
         && self->home_system().registry().get(sender->id()) == nullptr;
}

} // namespace depositd
