#pragma once

// Requests of clients and operators: answered at some time, or never.

#include "tests/simulation/world.hpp"

namespace depositd::simulation {

template <class Request, class Then>
void world::ask(Request request, Then then) {
  const auto shard = way_in();
  if (!shard)
    return; // nobody is reached
  caf::anon_send(outside_,
                 act{[=, request = std::move(request)](
                       caf::event_based_actor* self) mutable {
                   self
                     ->request(shard, std::chrono::minutes{10},
                               std::move(request))
                     .then(then, [](const caf::error&) {
                       // Refused, or lost with the engine: nobody knows.
                     });
                 }});
}

} // namespace depositd::simulation
