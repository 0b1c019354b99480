#pragma once

// The shard as processors on another node reach it.

#include "messages/shard.hpp"
#include "tests/support/other_node.hpp"

#include <caf/event_based_actor.hpp>

#include <utility>

namespace depositd::testing {

/// The engine as the node reaches it.
inline caf::behavior distant_shard(caf::event_based_actor* self,
                                   shard_actor core, other_node* way) {
  return {
    [=](const watch_control& x) { return self->delegate(core, x); },
    [=](const open_ports& x) -> caf::result<ports_opened> {
      auto promise = self->make_response_promise<ports_opened>();
      self->request(core, caf::infinite, x)
        .then(
          [=](ports_opened found) mutable {
            for (auto& door : found.ports)
              door.queue = way->door(door.queue);
            promise.deliver(std::move(found));
          },
          [=](const caf::error& why) mutable { promise.deliver(why); });
      return promise;
    },
  };
}

} // namespace depositd::testing
