#pragma once

// The inventory, for operators.

#include "messages/actor_with.hpp"
#include "messages/actors.hpp"
#include "messages/catalogue.hpp"

#include <memory>

namespace depositd::operators {

struct catalogue_state {
  using interface = catalogue_actor;

  std::shared_ptr<inventory> from;
};

/// Blocks on the inventory, so wiring spawns it detached.
catalogue_actor::behavior_type catalogue(actor_with<catalogue_state>* self,
                                         std::shared_ptr<inventory> from);

} // namespace depositd::operators
