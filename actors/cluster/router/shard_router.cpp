#include "actors/cluster/router/shard_router.hpp"

#include "actors/cluster/router/parts.hpp"

#include <algorithm>

namespace depositd::cluster {

caf::error refuse(shard_router_pointer self) {
  return self->state.draining
           ? caf::make_error(ec::draining,
                             std::string{"the engine is shutting down"})
           : caf::error{};
}

std::vector<shard_number> all_shards(shard_router_pointer self) {
  std::vector<shard_number> out(self->state.to.places.size());
  for (shard_number i = 0; i < out.size(); ++i)
    out[i] = i;
  return out;
}

namespace {

/// For requests that are about one user or one queue.
template <class Answer, class Request>
caf::result<Answer> to_shard_of(shard_router_pointer self,
                                const std::string& name, Request& x,
                                repeats may) {
  if (auto refused = refuse(self))
    return refused;
  return forward<Answer>(self, shard_of(name, self->state.to.options.count), x,
                         may);
}

void place(shard_router_pointer self, const shard_placed& x) {
  auto& state = self->state;
  set_place(self, x, x.core);
  tick_control(self);
  if (state.control && state.to.all_placed())
    for (auto& promise : std::exchange(state.awaiting_ready, {}))
      promise.deliver(done{});
}

caf::result<done> await_all(shard_router_pointer self) {
  auto& state = self->state;
  if (state.control && state.to.all_placed())
    return done{};
  auto promise = self->make_response_promise<done>();
  state.awaiting_ready.push_back(promise);
  return promise;
}

caf::result<done> check(shard_router_pointer self) {
  if (auto refused = refuse(self))
    return refused;
  // A shard without an engine is no reason to turn all the others away.
  if (!self->state.control)
    return caf::make_error(ec::overloaded,
                           std::string{"the control shard has no engine"});
  return done{};
}

/// Our own shards hand nothing out any more; those of others go on.
caf::result<done> drain_ours(shard_router_pointer self, const drain& x) {
  auto& state = self->state;
  state.draining = true;
  const auto why = refuse(self);
  state.to.refuse_all(why);
  for (auto& promise : std::exchange(state.awaiting_ready, {}))
    promise.deliver(why);
  auto promise = self->make_response_promise<done>();
  auto all = std::make_shared<shard_answers<done>>();
  all->then = [=](caf::expected<done> y) { fulfil(promise, std::move(y)); };
  for (const auto& at : state.to.places)
    if (at.who && at.here) {
      ++all->open;
      self->request(at.who, state.to.options.request_timeout, x)
        .then([=](const done&) { all->arrived(); },
              [=](const caf::error&) { all->arrived(); });
    }
  all->arrived();
  return promise;
}

void down(shard_router_pointer self, const caf::down_msg& x) {
  auto& state = self->state;
  std::erase_if(state.watchers,
                [&](const auto& who) { return who->address() == x.source; });
  owner_down(self, x.source);
}

} // namespace

shard_router_self::behavior_type shard_router(shard_router_pointer self,
                                              shard_router_options options) {
  self->state.to.begin(std::move(options.to));
  self->set_down_handler([=](const caf::down_msg& x) { down(self, x); });
  self->delayed_send(self, tick_interval, request_tick{});
  return {
    [=](enqueue& x) { return distribute(self, x); },
    [=](submit& x) {
      return to_shard_of<enqueued>(self, x.user, x,
                                   repeats::never);
    },
    [=](record_submission& x) {
      return to_shard_of<enqueued>(self, x.user, x,
                                   repeats::never);
    },
    [=](reserve_id& x) {
      return to_shard_of<id_reserved>(self, x.user, x,
                                      repeats::harmless);
    },
    [=](open_queue& x) { return open_one_port(self, x); },
    [=](open_ports& x) { return open_all_ports(self, x); },
    [=](ingest& x) { return ingest_everywhere(self, x); },
    [=](const read_watermarks& x) { return read_all_watermarks(self, x); },
    [=](carry_items& x) {
      // What has arrived is skipped, so a repeat does no harm.
      return to_shard_of<items_carried>(self, x.queue, x, repeats::harmless);
    },
    [=](propose& x) { return change_settings_of_all(self, x); },
    [=](const watch_control& x) { return watch_settings(self, x); },
    [](const adopt_control&) -> caf::result<done> {
      return caf::make_error(ec::invalid_argument,
                             std::string{"only shards adopt settings"});
    },
    [=](count_pending& x) {
      return to_shard_of<pending_counted>(self, x.user, x,
                                          repeats::harmless);
    },
    [=](const park_matching& x) { return park(self, x); },
    [=](purge_queue& x) { return purge(self, x); },
    [=](receive_items& x) { return take(self, x); },
    [=](settle_items& x) { return end(self, x); },
    [=](renew_items& x) { return extend(self, x); },
    [=](release_queue& x) { return release(self, x); },
    [=](count_queue& x) { return count(self, x); },
    [=](const move_queue& x) { return begin_move(self, x); },
    [=](explain_item& x) {
      return to_shard_of<item_explained>(self, x.user, x,
                                         repeats::harmless);
    },
    [=](const list_queues& x) { return list_all(self, x); },
    [=](const list_users& x) { return list_members(self, x); },
    [](const compact_items&) { /* for shards alone */ },
    [](const journal_failed&) { /* for shards alone */ },
    [=](await_ready) { return await_all(self); },
    [=](check_intake) { return check(self); },
    [=](const drain& x) { return drain_ours(self, x); },
    [=](const shard_placed& x) { place(self, x); },
    [=](const control_changed& x) { learn(self, x.state, x.revision); },
    [=](request_tick) {
      tick_open(self);
      tick_control(self);
      self->delayed_send(self, tick_interval, request_tick{});
    },
    [=](const bring_up& x) { return bring_shard_up(self, x); },
  };
}

} // namespace depositd::cluster
