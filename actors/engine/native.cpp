#include "actors/engine/native.hpp"

#include "messages/shard.hpp"
#include "messages/values/names.hpp"

#include <chrono>

namespace depositd::engine {

namespace {

constexpr std::chrono::seconds patience{30};

} // namespace

native_actor::behavior_type native(native_actor::pointer self,
                                   shard_doors_actor shard,
                                   std::shared_ptr<grants> given) {
  return {
    // The asker is answered directly.
    [=](enqueue& x) { return self->delegate(shard, std::move(x)); },
    [=](open_queue& x) -> caf::result<queue_port_actor> {
      if (!legal_queue_name(x.name)) // a shard opens channels of topics too
        return caf::make_error(ec::invalid_argument,
                               "not a queue name: " + x.name.substr(0, 64));
      auto promise = self->make_response_promise<queue_port_actor>();
      self->request(shard, patience, std::move(x))
        .then(
          [=](const queue_port_actor& port) mutable {
            given->hand_out(port, self->node());
            promise.deliver(port);
          },
          [=](const caf::error& why) mutable { promise.deliver(why); });
      return promise;
    },
  };
}

} // namespace depositd::engine
