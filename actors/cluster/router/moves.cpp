// Moves between queues that may be in different shards: begun in the shard of
// the source, kept in the control state of all, run by the source's.

#include "actors/cluster/router/parts.hpp"
#include "actors/rules/control/control.hpp"

namespace depositd::cluster {

caf::result<move_begun> begin_move(shard_router_pointer self,
                                   const move_queue& x) {
  if (auto refused = refuse(self))
    return refused;
  const auto& control = self->state.control;
  if (!control)
    return caf::make_error(ec::overloaded,
                           std::string{"the control shard has no engine"});
  if (auto wrong = rules::check_move(*control, x.from, x.to))
    return wrong;
  auto promise = self->make_response_promise<move_begun>();
  // Wherever the other queue is, it must be there before anything arrives.
  with_queue(self, x.to, [=](const caf::error& why) mutable {
    if (why) {
      promise.deliver(why);
      return;
    }
    ask_shard<move_begun>(
      self, shard_of(x.from, self->state.to.options.count), x, repeats::never,
      [=](caf::expected<move_begun> y) { fulfil(promise, std::move(y)); });
  });
  return promise;
}

} // namespace depositd::cluster
