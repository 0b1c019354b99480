// Settings: decided in shard 0, spread from there to every shard.

#include "actors/cluster/router/parts.hpp"
#include "actors/rules/control/control.hpp"
#include "actors/rules/control/founding.hpp"
#include "messages/values/names.hpp"
#include "messages/values/test_points.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <vector>

namespace depositd::cluster {

namespace {

using fetched = caf::expected<control_changed>;

constexpr std::chrono::milliseconds newest_wait{500};

/// The newest that shard 0 has.
void fetch(shard_router_pointer self, std::function<void(fetched)> then) {
  ask_shard<control_changed>(self, 0, watch_control{nullptr}, repeats::harmless,
                             [=](fetched x) {
                               if (x)
                                 learn(self, x->state, x->revision);
                               then(std::move(x));
                             });
}

/// Nobody has the shard, or it has said itself that it starts over.
bool gets_it_first(shard_router_pointer self, shard_number shard,
                   const caf::error& why) {
  const auto& place = self->state.to.places()[shard];
  return place.engine.empty() || (place.who && why == ec::store_failed);
}

/// Why a shard that has an owner may still go by what was set before.
caf::error not_told(shard_router_pointer self, shard_number shard,
                    const caf::error& why) {
  return caf::make_error(ec::overloaded,
                         "this is set, but shard " + std::to_string(shard)
                           + " of " + self->state.to.places()[shard].engine
                           + " has not got it and will when it can be reached ("
                           + render(why) + ")");
}

/// Those of one shard that fit wait no longer.
template <class Fits>
std::vector<settling::change> take_waiting(shard_router_pointer self,
                                           shard_number shard, Fits fits) {
  auto& all = self->state.unsettled[shard].waiting;
  const auto rest = std::stable_partition(
    all.begin(), all.end(), [&](const auto& x) { return !fits(x); });
  std::vector<settling::change> out{std::make_move_iterator(rest),
                                    std::make_move_iterator(all.end())};
  all.erase(rest, all.end());
  return out;
}

void settle(shard_router_pointer self, shard_number shard);

void settled(shard_router_pointer self, shard_number shard,
             std::uint64_t revision) {
  for (const auto& x :
       take_waiting(self, shard, [=](const settling::change& y) {
         return y.revision <= revision;
       }))
    x.then(done{});
  settle(self, shard);
}

/// While it recovers a shard turns settings away, and would go on with what it
/// had: it is asked again with the next look at it.
void not_settled(shard_router_pointer self, shard_number shard,
                 const caf::error& why) {
  const auto now = self->clock().now();
  const auto late = take_waiting(
    self, shard, [=](const settling::change& x) { return x.until <= now; });
  if (!late.empty())
    spdlog::warn("settings_late shard={} changes={} reason=\"{}\"", shard,
                 late.size(), render(why));
  const bool gets_it = gets_it_first(self, shard, why);
  for (const auto& x : late)
    if (gets_it)
      x.then(done{});
    else
      x.then(not_told(self, shard, why));
}

/// One shard gets the newest settings, if somebody waits for that and nobody
/// has asked it yet: however many changes there are, it is asked once.
void settle(shard_router_pointer self, shard_number shard) {
  auto& state = self->state;
  auto& at = state.unsettled[shard];
  if (at.asked || at.waiting.empty())
    return;
  at.asked = true;
  auto until = at.waiting.front().until;
  for (const auto& x : at.waiting)
    until = std::min(until, x.until);
  ask_shard_until<done>(self, shard,
                        adopt_control{state.control, state.revision},
                        repeats::harmless, until,
                        [=, revision = state.revision](caf::expected<done> x) {
                          self->state.unsettled[shard].asked = false;
                          if (x)
                            settled(self, shard, revision);
                          else
                            not_settled(self, shard, x.error());
                        });
}

/// Answered when every shard has these settings in its journal. A shard without
/// an engine gets them before it serves again, so it holds nobody up for ever.
/// An error if one has an engine that cannot be told. They have been learnt.
void spread(shard_router_pointer self, const control_changed& x,
            std::function<void(const caf::error&)> then) {
  const journal::gathering<done> all{
    [=](const caf::expected<done>& x) { then(x ? caf::error{} : x.error()); }};
  const auto& options = self->state.to.options();
  const auto until = self->clock().now() + options.owner_wait;
  for (shard_number shard = 1; shard < options.count; ++shard) {
    if (seeded_bug("settings_told_too_early"))
      break;
    self->state.unsettled[shard].waiting.push_back(
      {x.revision, until, all.expect<done>(journal::only_counts)});
    settle(self, shard);
  }
  all.close();
}

/// `then` runs when the change is durable in every shard.
void change(shard_router_pointer self, propose x,
            std::function<void(const caf::error&)> then) {
  // The same change twice is one change.
  ask_shard<done>(self, 0, std::move(x), repeats::harmless,
                  [=](caf::expected<done> accepted) {
                    if (!accepted) {
                      then(accepted.error());
                      return;
                    }
                    fetch(self, [=](fetched newest) {
                      if (newest)
                        spread(self, *newest, then);
                      else
                        then(newest.error());
                    });
                  });
}

void watch_shard_0(shard_router_pointer self, const shard_actor& owner) {
  auto& state = self->state;
  state.watched = owner.address();
  self
    ->request(owner, state.to.options().request_timeout,
              watch_control{caf::strong_actor_ptr{self->ctrl()}})
    .then([=](const control_changed& x) { learn(self, x.state, x.revision); },
          [=](const caf::error&) {
            if (self->state.watched == owner.address())
              self->state.watched = nullptr; // tried again
          });
}

/// A shard of ours that started over, or was not reached, catches up.
void compare(shard_router_pointer self, const shard_actor& core) {
  const auto patience = self->state.to.options().request_timeout;
  self->request(core, patience, watch_control{nullptr})
    .then(
      [=](const control_changed& x) {
        const auto& state = self->state;
        if (x.revision < state.revision)
          self
            ->request(core, patience,
                      adopt_control{state.control, state.revision})
            .then([](const done&) {},
                  [](const caf::error&) { /* compared again */ });
      },
      [](const caf::error&) { /* compared again */ });
}

} // namespace

void learn(shard_router_pointer self, const control_snapshot& state,
           std::uint64_t revision) {
  auto& ours = self->state;
  if (revision <= ours.revision || !state)
    return;
  ours.control = state;
  ours.revision = revision;
  const control_changed news{state, revision};
  for (const auto& who : ours.watchers)
    who->enqueue(self->ctrl(), caf::make_message_id(), caf::make_message(news),
                 self->context());
  if (ours.to.all_placed())
    for (auto& promise : std::exchange(ours.awaiting_ready, {}))
      promise.deliver(done{});
}

void look_at(shard_router_pointer self, shard_number shard) {
  auto& state = self->state;
  const auto& at = state.to.places()[shard];
  if (shard == 0) {
    if (!at.who)
      state.watched = nullptr;
    else if (at.who != state.watched)
      watch_shard_0(self, caf::actor_cast<shard_actor>(at.who));
    return;
  }
  settle(self, shard);
  if (state.control && at.who && at.here)
    compare(self, caf::actor_cast<shard_actor>(at.who));
}

void tick_control(shard_router_pointer self) {
  const auto count = self->state.to.places().size();
  for (shard_number shard = 0; shard < count; ++shard)
    look_at(self, shard);
}

caf::result<done> by_hand(shard_router_pointer self, propose& x) {
  if (auto refused = refuse(self))
    return refused;
  return journal::answer_later<done>(self, [&](auto then) {
    change(self, std::move(x), [=](const caf::error& why) mutable {
      then(why ? caf::expected<done>{why} : caf::expected<done>{done{}});
    });
  });
}

caf::result<control_changed> by_hand(shard_router_pointer self,
                                     watch_control& x) {
  auto& state = self->state;
  if (x.who) {
    state.watchers.push_back(x.who);
    self->monitor(x.who->address());
  }
  const auto zero = caf::actor_cast<shard_actor>(state.to.places()[0].who);
  if (state.control && (x.who || !zero))
    return control_changed{state.control, state.revision};
  return journal::answer_later<control_changed>(self, [&](auto then) {
    if (!state.control) {
      fetch(self, then);
      return;
    }
    // Who asks but once wants what others were answered a moment ago, too. An
    // owner that does not answer soon leaves us with what we know.
    auto tell = [=]() mutable {
      then(control_changed{self->state.control, self->state.revision});
    };
    self->request(zero, newest_wait, watch_control{nullptr})
      .then(
        [=](const control_changed& y) mutable {
          learn(self, y.state, y.revision);
          tell();
        },
        [=](const caf::error&) mutable { tell(); });
  });
}

caf::result<control_changed> fetch_now(shard_router_pointer self) {
  return journal::answer_later<control_changed>(
    self, [&](auto then) { fetch(self, then); });
}

caf::result<done> by_hand(shard_router_pointer self, note_key_use& x) {
  if (refuse(self) || !self->state.control
      || !self->state.control->keys.contains(x.key))
    return done{}; // it is told again
  change(self, propose{{key_used{x.key, x.used_us}}}, [](const caf::error&) {});
  return done{};
}

void with_queues(shard_router_pointer self,
                 const std::vector<std::string>& names,
                 const std::string& user,
                 std::function<void(const caf::error&)> then) {
  for (const auto& name : names)
    if (!legal_queue_name(name))
      return then(caf::make_error(ec::invalid_argument,
                                  "not a queue name: " + name.substr(0, 64)));
  if (!self->state.control)
    return fetch(self, [=](fetched newest) {
      if (newest)
        with_queues(self, names, user, then);
      else
        then(newest.error());
    });
  // How many it may found is known where settings are decided.
  std::vector<event> changes;
  for (const auto& name : names) {
    if (is_known(map_of(self), name))
      continue;
    auto made = rules::found(*self->state.control, {name, user});
    if (!made)
      return then(made.error());
    std::move(made->begin(), made->end(), std::back_inserter(changes));
  }
  if (changes.empty())
    then({});
  else
    change(self, propose{std::move(changes)}, then);
}

} // namespace depositd::cluster
