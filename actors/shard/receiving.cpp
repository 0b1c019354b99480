// What receiving doors do goes to the queue that they name. Reading about an
// unknown name never makes a queue.

#include "actors/shard/parts.hpp"

namespace depositd::shard {

namespace {

/// Passes the request on; the queue answers it. `nothing` answers for a queue
/// that is not there.
template <class Answer, class Request>
caf::result<Answer> pass_on(shard_pointer self, Request& x, Answer nothing) {
  if (auto refused = refuse_intake(self))
    return refused;
  const auto number = find_queue(self, x.queue);
  if (!number)
    return nothing;
  return self->delegate(self->state.queues[*number].actor, std::move(x));
}

} // namespace

caf::result<items_received> take(shard_pointer self, receive_items& x) {
  return pass_on(self, x, items_received{});
}

caf::result<items_settled> end(shard_pointer self, settle_items& x) {
  items_settled none;
  none.accepted.resize(x.items.size());
  return pass_on(self, x, std::move(none));
}

caf::result<done> extend(shard_pointer self, renew_items& x) {
  return pass_on(self, x, done{});
}

caf::result<done> release_all(shard_pointer self, release_queue& x) {
  return pass_on(self, x, done{});
}

caf::result<queue_counted> count(shard_pointer self, count_queue& x) {
  return pass_on(self, x, queue_counted{});
}

} // namespace depositd::shard
