#pragma once

// What CAF's library asks of itself and hears from us instead.

#include <caf/fwd.hpp>

namespace depositd::gate {

class peer_table;

/// From now on nodes are reached by way of others only if the table says so.
/// Null ends it. Any thread.
void watch_routes(const caf::actor_system& system, const peer_table* by);

} // namespace depositd::gate
