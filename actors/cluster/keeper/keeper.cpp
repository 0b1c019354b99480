#include "actors/cluster/keeper/keeper.hpp"

#include "actors/cluster/keeper/parts.hpp"
#include "messages/values/test_points.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>

namespace depositd::cluster {

using std::chrono::milliseconds;

void owned_shards::rename(const std::string& engine) {
  const std::lock_guard guard{mutex_};
  met_.engine = engine;
}

engine_met owned_shards::get() const {
  const std::lock_guard guard{mutex_};
  return met_;
}

void owned_shards::put(const engine_met::owned& x) {
  erase(x.shard);
  const std::lock_guard guard{mutex_};
  met_.shards.push_back(x);
}

void owned_shards::erase(shard_number shard) {
  const std::lock_guard guard{mutex_};
  std::erase_if(met_.shards, [&](const auto& x) { return x.shard == shard; });
}

namespace {

milliseconds lease_of(shard_keeper_pointer self) {
  return milliseconds{self->state.options.lease_ms};
}

milliseconds pause_of(shard_keeper_pointer self) {
  return std::clamp(lease_of(self) / 10, milliseconds{20}, milliseconds{500});
}

/// Before a lease ends by our clock, all that it allows has stopped.
void give_up_in_time(shard_keeper_pointer self) {
  if (seeded_bug("lease_end_ignored"))
    return;
  const auto margin = lease_of(self) / 6;
  const auto now = self->clock().now();
  auto& shards = self->state.shards;
  for (shard_number shard = 0; shard < shards.size(); ++shard)
    if (is_ours(shards[shard]) && now + margin >= shards[shard].ends)
      lose(self, shard, "the lease was not renewed in time", false);
}

void renewed(shard_keeper_pointer self, const std::vector<shard_number>& ours,
             caf::actor_clock::time_point asked) {
  auto& state = self->state;
  state.renew_at = asked + lease_of(self) / 3;
  for (shard_number shard = 0; shard < state.shards.size(); ++shard) {
    auto& x = state.shards[shard];
    if (!is_ours(x) || x.since >= asked)
      continue;
    if (std::find(ours.begin(), ours.end(), shard) != ours.end())
      x.ends = asked + lease_of(self);
    else
      lose(self, shard, "another engine may have the shard", false);
  }
}

void seen(shard_keeper_pointer self, leases_seen& x,
          caf::actor_clock::time_point asked) {
  auto& state = self->state;
  state.looking = false;
  state.seen_at = self->clock().now();
  if (!std::exchange(state.unreached, {}).empty())
    spdlog::info("leases_reached");
  if (x.renewed)
    renewed(self, x.ours, asked);
  if (!x.table.shards.empty()) {
    state.table = std::move(x.table);
    balance(self);
    meet_owners(self);
  }
  if (std::exchange(state.look_again, false))
    look(self);
}

void not_seen(shard_keeper_pointer self, const caf::error& why) {
  auto& state = self->state;
  state.looking = false;
  // Looked for again and again: told once for each reason.
  if (auto reason = render(why); reason != state.unreached) {
    spdlog::warn("leases_unreachable reason=\"{}\"", reason);
    state.unreached = std::move(reason);
  }
  if (why != ec::fenced)
    return;
  for (shard_number shard = 0; shard < state.shards.size(); ++shard)
    if (is_ours(state.shards[shard]))
      lose(self, shard, render(why), false);
  state.options.failed(why);
}

void tell_of_logs(shard_keeper_pointer self, bool reached) {
  if (std::exchange(self->state.reaches_logs, reached) == reached)
    return;
  if (reached)
    spdlog::info("logs_reached reason=\"shards are taken again\"");
  else
    spdlog::warn("logs_not_reached reason=\"engines that reach the brokers "
                 "get our shards\"");
}

/// Not for one call that fails: all that leases allow goes on until they end.
void tell_of_leases(shard_keeper_pointer self) {
  auto& state = self->state;
  const auto reached =
    self->clock().now() - state.seen_at <= lease_of(self) / 2;
  if (std::exchange(state.reached, reached) != reached)
    self->send(state.router, leases_reached{reached});
}

void tick(shard_keeper_pointer self) {
  if (self->state.left)
    return;
  give_up_in_time(self);
  tell_of_leases(self);
  look(self);
  self->delayed_send(self, pause_of(self), lease_tick{});
}

caf::result<shards_listed> list_all(shard_keeper_pointer self) {
  const auto& state = self->state;
  auto promise = self->make_response_promise<shards_listed>();
  self
    ->request(state.clerk, state.options.request_timeout, look_at_leases{})
    .then(
      [=](leases_seen& x) mutable {
        promise.deliver(shards_listed{std::move(x.table)});
      },
      [=](const caf::error& why) mutable { promise.deliver(why); });
  return promise;
}

admins_listed known_admins(const shard_keeper_state& state) {
  admins_listed out;
  for (const auto& [name, engine] : state.engines)
    if (engine.admin)
      out.others.push_back({name, engine.admin});
  return out;
}

caf::result<done> leave(shard_keeper_pointer self) {
  auto& state = self->state;
  auto promise = self->make_response_promise<done>();
  state.awaiting_left.push_back(promise);
  state.leaving = true;
  for (shard_number shard = 0; shard < state.shards.size(); ++shard)
    if (state.shards[shard].now == phase::serving)
      hand_over(self, shard);
    else if (state.shards[shard].now == phase::opening)
      lose(self, shard, "the engine is shutting down", true);
  left_one(self);
  return promise;
}

} // namespace

bool is_ours(const kept_shard& x) {
  return x.now == phase::opening || x.now == phase::serving
         || x.now == phase::leaving;
}

void place(shard_keeper_pointer self, const shard_placed& x) {
  self->send(self->state.router, x);
  self->send(self->state.reader, x);
}

void place_nobody(shard_keeper_pointer self, shard_number shard,
                  epoch_number epoch) {
  shard_placed out;
  out.shard = shard;
  out.epoch = epoch;
  place(self, out);
}

void look(shard_keeper_pointer self) {
  auto& state = self->state;
  if (state.left)
    return;
  if (state.looking) {
    state.look_again = true;
    return;
  }
  state.looking = true;
  const auto asked = self->clock().now();
  const auto reaches = state.options.reaches_logs();
  const auto news = reaches != state.reaches_logs;
  // The store's calls have a time limit of their own; an answer that nobody
  // waited for might be a renewal that nobody knows of.
  self
    ->request(state.clerk, caf::infinite,
              look_at_leases{news || asked >= state.renew_at,
                             state.options.lease_ms, reaches})
    .then(
      [=](leases_seen& x) {
        if (x.renewed)
          tell_of_logs(self, reaches);
        seen(self, x, asked);
      },
      [=](const caf::error& why) { not_seen(self, why); });
}

void left_one(shard_keeper_pointer self) {
  auto& state = self->state;
  const auto none = std::all_of(
    state.shards.begin(), state.shards.end(),
    [](const auto& x) { return x.now == phase::none; });
  if (!state.leaving || !none || std::exchange(state.left, true))
    return;
  const auto finish = [=] {
    for (auto& promise : std::exchange(self->state.awaiting_left, {}))
      promise.deliver(done{});
  };
  self->request(state.clerk, caf::infinite, leave_engines{})
    .then([=](const done&) { finish(); },
          [=](const caf::error& why) {
            spdlog::warn("leases_not_returned reason=\"{}\"", render(why));
            finish();
          });
}

shard_keeper_self::behavior_type shard_keeper(shard_keeper_pointer self,
                                              shard_keeper_options options,
                                              shard_router_actor router,
                                              projection_router_actor reader) {
  auto& state = self->state;
  state.options = std::move(options);
  state.router = std::move(router);
  state.reader = std::move(reader);
  state.shards.resize(state.options.leases->count());
  state.seen_at = self->clock().now();
  const auto spawn_clerk = [&] {
    return state.options.threads
             ? self->spawn<caf::detached + caf::linked>(lease_clerk,
                                                        state.options.leases)
             : self->spawn<caf::linked>(lease_clerk, state.options.leases);
  };
  state.clerk = spawn_clerk();
  state.taker = spawn_clerk();
  self->set_down_handler([=](const caf::down_msg& x) { core_down(self, x); });
  self->send(self, lease_tick{});
  return {
    [=](look_now) {
      doubt_owners(self);
      look(self);
    },
    [=](const meet_engine& x) { called(self, x); },
    [=](leave_shards) { return leave(self); },
    [=](list_shards) { return list_all(self); },
    [=](list_admins) { return known_admins(self->state); },
    [=](lease_tick) { tick(self); },
    [=](const look_at_claims& x) { go_on_leaving(self, x); },
  };
}

} // namespace depositd::cluster
