#include "actors/engine/native.hpp"

#include "messages/senders.hpp"
#include "messages/values/names.hpp"

#include <string_view>
#include <unordered_set>

namespace depositd::engine {

namespace {

using native_pointer = actor_with<native_state>*;

/// Counts what is asked for; the error if that is more than a quota allows.
caf::error over_quota(native_pointer self, const enqueue& x) {
  const auto& state = self->state;
  // The shard refuses what is too long; nobody looks through it here.
  if (!state.options.quota || x.items.size() > enqueue_items_max)
    return {};
  if (!state.control)
    return caf::make_error(ec::overloaded,
                           "quotas are not known yet, try again");
  if (state.control->quotas.empty())
    return {};
  std::unordered_set<std::string_view> users;
  for (const auto& item : x.items)
    if (users.insert(item.user).second
        && !state.options.quota(*state.control, x.queue, item.user,
                                self->clock().now()))
      return caf::make_error(ec::quota_reached,
                             "as many requests of " + item.user.substr(0, 64)
                               + " as the quota allows, try again later");
  return {};
}

caf::result<enqueued> take(native_pointer self, enqueue& x) {
  // Quotas are asked for one queue.
  if (!x.also.empty())
    return caf::make_error(ec::invalid_argument,
                           "a request is for one queue here");
  if (auto refusal = over_quota(self, x))
    return refusal;
  // The asker is answered directly.
  return self->delegate(self->state.options.shard, std::move(x));
}

caf::result<queue_port_actor> open(native_pointer self, open_queue& x) {
  if (!legal_queue_name(x.name)) // a shard opens channels of topics too
    return caf::make_error(ec::invalid_argument,
                           "not a queue name: " + x.name.substr(0, 64));
  const auto& options = self->state.options;
  auto promise = self->make_response_promise<queue_port_actor>();
  self->request(options.shard, options.request_timeout, std::move(x))
    .then(
      [=](const queue_port_actor& port) mutable {
        self->state.options.given->hand_out(port, self->node());
        promise.deliver(port);
      },
      [=](const caf::error& why) mutable { promise.deliver(why); });
  return promise;
}

} // namespace

native_self::behavior_type native(actor_with<native_state>* self,
                                  native_options options) {
  self->state.options = std::move(options);
  follow_control(self, self->state.options.shard);
  return {
    [=](enqueue& x) { return take(self, x); },
    [=](open_queue& x) { return open(self, x); },
    [=](const control_changed& x) {
      if (is_of_this_process(self, self->current_sender()))
        self->state.control = x.state;
    },
  };
}

} // namespace depositd::engine
