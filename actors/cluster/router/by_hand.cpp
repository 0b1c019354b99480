// Requests that the table of routes has no words for.

#include "actors/cluster/router/parts.hpp"
#include "actors/rules/control/control.hpp"
#include "actors/rules/routing/receiving.hpp"
#include "messages/values/topic_names.hpp"

namespace depositd::cluster {

namespace {

using receiving =
  rules::routing::receiving_round<receive_items, items_received>;

void ask_next(shard_router_pointer self,
              const std::shared_ptr<receiving>& round,
              std::function<void(caf::expected<items_received>)> then) {
  auto one = round->next();
  if (!one) {
    then(round->result());
    return;
  }
  ask_shard<items_received>(self, one->shard, std::move(one->what),
                            repeats::never,
                            [=](caf::expected<items_received> x) {
                              if (x)
                                round->take(*x);
                              if (!x && round->has_failed())
                                then(std::move(x));
                              else
                                ask_next(self, round, then);
                            });
}

shard_number shard_with(shard_router_pointer self, const std::string& queue) {
  return shard_of_queue(queue, self->state.to.options().count);
}

/// Asks the one shard of a queue, once a queue exists that it needs.
template <class Answer, class Request>
caf::result<Answer>
when_there(shard_router_pointer self, const std::string& needed,
           const std::string& user, const std::string& queue, const Request& x,
           repeats may) {
  constexpr bool wants_one_port = std::is_same_v<Request, open_queue>;
  return journal::answer_later<Answer>(self, [&](auto then) {
    with_queues(self, {needed}, user, [=](const caf::error& why) mutable {
      if (why)
        then(why);
      else if (wants_one_port && is_spread(map_of(self), queue))
        then(caf::make_error(ec::invalid_argument,
                             "queue " + queue
                               + " is in several shards: ask for its ports"));
      else
        ask_shard<Answer>(self, shard_with(self, queue), x, may, then);
    });
  });
}

} // namespace

caf::result<items_received> by_hand(shard_router_pointer self,
                                    receive_items& x) {
  if (auto refused = refuse(self))
    return refused;
  auto& state = self->state;
  if (!is_spread(map_of(self), x.queue))
    return forward<items_received>(self, shard_with(self, x.queue), x,
                                   repeats::never);
  const auto count = state.to.options().count;
  const auto round =
    std::make_shared<receiving>(std::move(x), state.turn++ % count, count);
  return journal::answer_later<items_received>(
    self, [&](auto then) { ask_next(self, round, then); });
}

caf::result<queue_port_actor> by_hand(shard_router_pointer self,
                                      open_queue& x) {
  if (auto refused = refuse(self))
    return refused;
  // Its shard makes it, as it has the topic.
  if (is_topic_queue(x.name))
    return forward<queue_port_actor>(self, shard_with(self, x.name), x,
                                     repeats::harmless);
  return when_there<queue_port_actor>(self, x.name, "", x.name, x,
                                      repeats::harmless);
}

caf::result<move_begun> by_hand(shard_router_pointer self, move_queue& x) {
  if (auto refused = refuse(self))
    return refused;
  const auto& control = self->state.control;
  if (!control)
    return caf::make_error(ec::overloaded,
                           std::string{"the control shard has no engine"});
  if (auto wrong = rules::check_move(*control, x.from, x.to))
    return wrong;
  // Wherever the other queue is, it must be there before anything arrives.
  return when_there<move_begun>(self, x.to, x.founder, x.from, x,
                                repeats::never);
}

} // namespace depositd::cluster
