// Doors whose workers poll. A message queue is in one shard; one of deposits
// may be polled too, and is in all of them.

#include "actors/cluster/router/parts.hpp"

#include <map>

namespace depositd::cluster {

namespace {

/// To the one shard that has the message queue.
template <class Answer, class Request>
caf::result<Answer> to_queue(shard_router_pointer self, Request& x,
                             repeats may) {
  const auto shard = shard_of(x.queue, self->state.to.options.count);
  return forward<Answer>(self, shard, x, may);
}

/// A poll of a queue that is in all shards: one after the other, beginning with
/// another one each time, until there are enough items.
struct spread_receive {
  receive_items what;
  items_received found;
  shard_number asked = 0;
  shard_number first = 0;
  caf::typed_response_promise<items_received> promise;
};

void ask_next(shard_router_pointer self,
              const std::shared_ptr<spread_receive>& poll) {
  const auto count = self->state.to.options.count;
  auto& found = poll->found.items;
  std::erase_if(found, [](const auto& x) { return x.name.id == 0; });
  if (poll->asked == count || found.size() >= poll->what.count) {
    poll->promise.deliver(std::move(poll->found));
    return;
  }
  auto rest = poll->what;
  rest.count -= static_cast<std::uint32_t>(found.size());
  const auto shard = (poll->first + poll->asked++) % count;
  ask_shard<items_received>(self, shard, std::move(rest), repeats::never,
                            [=](caf::expected<items_received> x) {
                              if (x)
                                for (auto& item : x->items)
                                  poll->found.items.push_back(std::move(item));
                              else if (poll->found.items.empty()
                                       && poll->asked
                                            == self->state.to.options.count) {
                                poll->promise.deliver(x.error());
                                return;
                              }
                              ask_next(self, poll);
                            });
}

/// Whose shard the ids say.
template <class Request>
std::map<shard_number, Request> by_shard(const Request& x,
                                         shard_number count) {
  std::map<shard_number, Request> out;
  for (const auto& item : x.items) {
    shard_number shard = 0;
    if constexpr (std::is_same_v<Request, settle_items>)
      shard = shard_of_item(item.name.id);
    else
      shard = shard_of_item(item.id);
    auto [at, fresh] = out.try_emplace(shard % count, x);
    if (fresh)
      at->second.items.clear();
    at->second.items.push_back(item);
  }
  return out;
}

} // namespace

caf::result<items_received> take(shard_router_pointer self, receive_items& x) {
  if (auto refused = refuse(self))
    return refused;
  if (!is_spread(self, x.queue))
    return to_queue<items_received>(self, x, repeats::never);
  auto poll = std::make_shared<spread_receive>();
  poll->what = std::move(x);
  poll->first = self->state.turn++ % self->state.to.options.count;
  poll->promise = self->make_response_promise<items_received>();
  ask_next(self, poll);
  return poll->promise;
}

caf::result<items_settled> end(shard_router_pointer self, settle_items& x) {
  if (auto refused = refuse(self))
    return refused;
  if (!is_spread(self, x.queue))
    return to_queue<items_settled>(self, x, repeats::never);
  const auto count = self->state.to.options.count;
  std::map<shard_number, std::vector<std::size_t>> positions;
  for (std::size_t i = 0; i < x.items.size(); ++i)
    positions[shard_of_item(x.items[i].name.id) % count].push_back(i);
  auto promise = self->make_response_promise<items_settled>();
  auto all = std::make_shared<shard_answers<items_settled>>();
  all->result.accepted.resize(x.items.size());
  all->then = [=](caf::expected<items_settled> y) {
    fulfil(promise, std::move(y));
  };
  for (auto& [shard, part] : by_shard(x, count)) {
    ++all->open;
    ask_shard<items_settled>(
      self, shard, std::move(part), repeats::never,
      [=, at = positions[shard]](caf::expected<items_settled> y) {
        if (y)
          for (std::size_t i = 0; i < at.size(); ++i)
            all->result.accepted[at[i]] = y->accepted[i];
        all->arrived(y ? caf::error{} : y.error());
      });
  }
  all->arrived();
  return promise;
}

caf::result<done> extend(shard_router_pointer self, renew_items& x) {
  if (auto refused = refuse(self))
    return refused;
  if (!is_spread(self, x.queue))
    return to_queue<done>(self, x, repeats::harmless);
  auto promise = self->make_response_promise<done>();
  auto all = std::make_shared<shard_answers<done>>();
  all->then = [=](caf::expected<done> y) { fulfil(promise, std::move(y)); };
  for (auto& [shard, part] : by_shard(x, self->state.to.options.count)) {
    ++all->open;
    ask_shard<done>(self, shard, std::move(part), repeats::harmless,
                    [=](caf::expected<done> y) {
                      all->arrived(y ? caf::error{} : y.error());
                    });
  }
  all->arrived();
  return promise;
}

caf::result<done> release(shard_router_pointer self, release_queue& x) {
  if (auto refused = refuse(self))
    return refused;
  if (!is_spread(self, x.queue))
    return to_queue<done>(self, x, repeats::harmless);
  return ask_shards<done, done>(self, all_shards(self), x, repeats::harmless,
                                [](done&, const done&) {});
}

caf::result<queue_counted> count(shard_router_pointer self, count_queue& x) {
  if (auto refused = refuse(self))
    return refused;
  if (!is_spread(self, x.queue))
    return to_queue<queue_counted>(self, x, repeats::harmless);
  return ask_shards<queue_counted, queue_counted>(
    self, all_shards(self), x, repeats::harmless,
    [](queue_counted& sum, const queue_counted& y) {
      sum.items += y.items;
      sum.claims += y.claims;
    });
}

caf::result<done> purge(shard_router_pointer self, purge_queue& x) {
  if (auto refused = refuse(self))
    return refused;
  if (!is_spread(self, x.queue))
    return to_queue<done>(self, x, repeats::harmless);
  return ask_shards<done, done>(self, all_shards(self), x, repeats::harmless,
                                [](done&, const done&) {});
}

} // namespace depositd::cluster
