#pragma once

// What one engine has for orders about what is stored.

#include "messages/actors.hpp"

namespace depositd::simulation {

/// Null: it has none.
struct order_actors {
  catalogue_actor catalogue;
  order_desk_actor desk;
  reconciler_actor due;
};

} // namespace depositd::simulation
