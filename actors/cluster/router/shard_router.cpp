#include "actors/cluster/router/shard_router.hpp"

#include "actors/cluster/router/parts.hpp"

namespace depositd::cluster {

caf::error refuse(shard_router_pointer self) {
  if (!self->state.draining)
    return {};
  return caf::make_error(ec::draining,
                         std::string{"the engine is shutting down"});
}

rules::routing::shard_map map_of(shard_router_pointer self) {
  const auto& state = self->state;
  return {state.to.options().count, state.control.get()};
}

caf::result<done> by_hand(shard_router_pointer self, await_ready&) {
  auto& state = self->state;
  if (state.control && state.to.all_placed())
    return done{};
  auto promise = self->make_response_promise<done>();
  state.awaiting_ready.push_back(promise);
  return promise;
}

caf::result<done> by_hand(shard_router_pointer self, check_intake&) {
  if (auto refused = refuse(self))
    return refused;
  const auto& state = self->state;
  if (!state.leases_reached)
    return caf::make_error(ec::store_failed,
                           std::string{"the leases cannot be reached"});
  if (!state.control)
    return caf::make_error(ec::overloaded,
                           std::string{"the control shard has no engine"});
  // While a shard changes hands the others go on.
  const auto now = self->clock().now();
  for (shard_number shard = 0; shard < state.owned_at.size(); ++shard)
    if (!state.to.places()[shard].who
        && now - state.owned_at[shard] > state.options.lease)
      return caf::make_error(ec::overloaded,
                             "no engine has shard " + std::to_string(shard));
  return done{};
}

/// Our own shards hand nothing out any more; those of others go on.
caf::result<done> by_hand(shard_router_pointer self, drain& x) {
  auto& state = self->state;
  state.draining = true;
  const auto why = refuse(self);
  state.to.refuse_all(why);
  for (auto& promise : std::exchange(state.awaiting_ready, {}))
    promise.deliver(why);
  return journal::gather<done>(self, [&](const journal::gathering<done>& all) {
    for (const auto& at : state.to.places())
      if (at.who && at.here)
        all.ask<done>(self, caf::actor_cast<shard_actor>(at.who),
                      state.to.options().request_timeout, x,
                      journal::only_counts, journal::only_counts);
  });
}

namespace {

using caf::detail::type_list;
using rules::routing::queue_of;

/// Whose first use makes a queue.
template <class Request>
std::string founder_of(const Request& x) {
  if constexpr (requires { x.items.front().user; })
    return x.items.empty() ? std::string{} : x.items.front().user;
  else
    return {};
}

/// Those that the request is about and nobody knows yet.
template <class Request>
std::vector<std::string> new_queues(const Request& x,
                                    const rules::routing::shard_map& map) {
  std::vector<std::string> out;
  if (!is_known(map, queue_of(x)))
    out.push_back(queue_of(x));
  if constexpr (requires { x.also; })
    for (const auto& more : x.also)
      if (!is_known(map, more.queue))
        out.push_back(more.queue);
  return out;
}

/// Queues that are new come into being everywhere before the request goes on.
template <class Answer, class Request>
caf::delegated<Answer> when_made(shard_router_pointer self,
                                 const std::vector<std::string>& queues,
                                 Request& x) {
  const auto what = std::make_shared<Request>(std::move(x));
  with_queues(self, queues, founder_of(*what),
              [=, promise = self->make_response_promise()](
                const caf::error& why) mutable {
                if (why)
                  promise.deliver(why);
                else
                  scatter<Answer>(self, std::move(*what), map_of(self),
                                  promise);
              });
  return {};
}

template <class Answer, class Request>
caf::result<Answer> answer(shard_router_pointer self, Request& x) {
  if constexpr (requires { by_hand(self, x); }) {
    return by_hand(self, x);
  } else {
    using rules::routing::more;
    constexpr auto also = rules::routing::row<Request>.also;
    if constexpr (also != more::while_draining)
      if (auto refused = refuse(self))
        return refused;
    if constexpr (also == more::makes_queue)
      if (const auto queues = new_queues(x, map_of(self)); !queues.empty())
        return when_made<Answer>(self, queues, x);
    return by_table<Answer>(self, x, map_of(self));
  }
}

/// The handler of one kind of request. A lambda made for all of them at once
/// would have all of their names in its own.
template <class Request, class Answer>
struct answering {
  shard_router_pointer self;

  caf::result<Answer> operator()(Request& x) const {
    return answer<Answer>(self, x);
  }
};

/// What shards are asked, each by its row in the table or by hand; and more.
template <class... Requests, class... Answers, class... More>
shard_router_self::behavior_type all_answering(
  shard_router_pointer self,
  type_list<caf::typed_mpi<type_list<Requests>, caf::output_tuple<Answers>>...>,
  More... more) {
  return {answering<Requests, Answers>{self}..., std::move(more)...};
}

void note_owners(shard_router_pointer self) {
  auto& state = self->state;
  for (shard_number shard = 0; shard < state.owned_at.size(); ++shard)
    if (state.to.places()[shard].who)
      state.owned_at[shard] = self->clock().now();
}

void place(shard_router_pointer self, const shard_placed& x) {
  auto& state = self->state;
  state.to.set_place(x, caf::actor_cast<caf::strong_actor_ptr>(x.core));
  look_at(self, x.shard); // not at all of them: many come at the same time
  if (state.control && state.to.all_placed())
    for (auto& promise : std::exchange(state.awaiting_ready, {}))
      promise.deliver(done{});
}

void down(shard_router_pointer self, const caf::down_msg& x) {
  auto& state = self->state;
  std::erase_if(state.watchers,
                [&](const auto& who) { return who->address() == x.source; });
  state.to.owner_down(x.source);
}

} // namespace

shard_router_self::behavior_type shard_router(shard_router_pointer self,
                                              shard_router_options options) {
  self->state.to.begin(self, options.to);
  self->state.owned_at.assign(options.to.count, self->clock().now());
  self->state.options = std::move(options);
  self->set_down_handler([=](const caf::down_msg& x) { down(self, x); });
  self->delayed_send(self, tick_interval, request_tick{});
  return all_answering(
    self, shards_actor::signatures{},
    [=](const shard_placed& x) { place(self, x); },
    [=](const control_changed& x) { learn(self, x.state, x.revision); },
    [=](leases_reached x) { self->state.leases_reached = x.yes; },
    [=](request_tick) {
      note_owners(self);
      self->state.to.tick();
      tick_control(self);
      self->delayed_send(self, tick_interval, request_tick{});
    },
    [=](fetch_newest) { return fetch_now(self); });
}

} // namespace depositd::cluster
