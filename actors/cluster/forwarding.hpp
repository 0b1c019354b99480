#pragma once

// Requests on their way to whichever engine has the shard that they are for.
// Without an owner they wait, for a bounded time; those that were sent to an
// engine which is gone fail at once, or go to the next one if that does no
// harm.

#include "actors/rules/routing/table.hpp"
#include "messages/cluster.hpp"
#include "messages/values/errors.hpp"
#include "messages/values/sharding.hpp"

#include <caf/actor_clock.hpp>

#include <algorithm>
#include <chrono>
#include <functional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace depositd::cluster {

/// To itself, now and then: refuse what has waited too long.
struct request_tick {};

inline constexpr std::chrono::milliseconds tick_interval{250};

struct forwarding_options {
  shard_number count = 1;
  /// How long requests wait for a shard to get an owner.
  std::chrono::milliseconds owner_wait{20'000};
  std::chrono::milliseconds request_timeout{30'000};
  /// For what is done to very many items. An owner that dies is noticed anyhow.
  std::chrono::milliseconds bulk_timeout{3'600'000};
  /// How long an owner of the past may still answer what it was sent.
  std::chrono::milliseconds last_answer{2'000};
  /// Tells the keeper that somebody we took for an owner is none.
  std::function<void()> lost = [] {};
};

using rules::routing::repeats;

inline caf::error owner_gone(shard_number shard) {
  return caf::make_error(ec::store_failed,
                         "the engine that had shard " + std::to_string(shard)
                           + " is gone; nobody knows whether it did this");
}

/// Of an actor whose state has one as `to`. `Owner`: what it forwards to.
template <class Owner>
struct forwarding {
  using time_point = caf::actor_clock::time_point;
  using failing = std::function<void(const caf::error&)>;

  struct place {
    epoch_number epoch = 0;
    std::string engine;
    Owner who; ///< null: nobody
    bool here = false;
  };

  struct waiting {
    time_point until;
    failing go; ///< without an error: there is an owner
    /// This one has turned it away and, if it still is the owner, is asked
    /// again when some time has passed.
    caf::actor_addr turned_away_by;
  };

  struct sent {
    shard_number shard = 0;
    caf::actor_addr whom;
    bool may_repeat = false;
    /// When an owner that has been replaced is not waited for any longer.
    time_point until = time_point::max();
    failing fail;
  };

  forwarding_options options;
  std::vector<place> places;               ///< by shard
  std::vector<std::vector<waiting>> held;  ///< by shard
  std::unordered_map<std::uint64_t, sent> open;
  std::uint64_t open_last = 0;

  void begin(forwarding_options x) {
    options = std::move(x);
    places.resize(options.count);
    held.resize(options.count);
  }

  bool all_placed() const {
    return std::all_of(places.begin(), places.end(),
                       [](const auto& x) { return bool{x.who}; });
  }

  /// Fails what was sent and fits.
  template <class Fits>
  void fail_open(Fits fits) {
    std::vector<std::pair<shard_number, failing>> failed;
    for (auto at = open.begin(); at != open.end();)
      if (fits(at->second)) {
        failed.emplace_back(at->second.shard, std::move(at->second.fail));
        at = open.erase(at);
      } else {
        ++at;
      }
    for (auto& [shard, fail] : failed)
      fail(owner_gone(shard));
  }

  /// Lets go what waits for the shard, but for what its owner has just turned
  /// away: both would ask each other without end.
  void let_go(shard_number shard) {
    const auto owner = places[shard].who.address();
    for (auto& x : std::exchange(held[shard], {}))
      if (x.turned_away_by && x.turned_away_by == owner)
        held[shard].push_back(std::move(x));
      else
        x.go({});
  }

  /// What was turned away is sent again.
  void let_go_again() {
    for (shard_number shard = 0; shard < held.size(); ++shard) {
      for (auto& x : held[shard])
        x.turned_away_by = nullptr;
      if (places[shard].who)
        let_go(shard);
    }
  }

  void refuse_late(time_point now) {
    for (shard_number shard = 0; shard < held.size(); ++shard) {
      auto& all = held[shard];
      const auto late
        = std::stable_partition(all.begin(), all.end(),
                                [&](const auto& x) { return x.until > now; });
      std::vector<waiting> refused{std::make_move_iterator(late),
                                   std::make_move_iterator(all.end())};
      all.erase(late, all.end());
      for (auto& x : refused)
        x.go(caf::make_error(ec::overloaded,
                             "no engine has shard " + std::to_string(shard)
                               + " at the moment; try again later"));
    }
  }

  void refuse_all(const caf::error& why) {
    for (auto& all : held)
      for (auto& x : std::exchange(all, {}))
        x.go(why);
  }
};

/// The owner turned the request away before it did anything. `ec::fenced` is
/// not among these: a commit whose answer was lost may stand all the same.
inline bool turned_away(const caf::error& why) {
  return why == ec::draining || why == caf::sec::request_receiver_down;
}

/// Takes news of an owner. What was sent to the one before goes to the next if
/// that does no harm; else there may be an answer yet, as the old owner ends
/// what it has begun before it hands over.
template <class Self, class Owner>
void set_place(Self* self, const shard_placed& x, const Owner& who) {
  auto& to = self->state.to;
  auto& at = to.places[x.shard];
  if (x.epoch < at.epoch)
    return;
  const auto before = at.who;
  at = {x.epoch, x.engine, who, x.here};
  if (who && before != who)
    self->monitor(who);
  if (before && before != who) {
    const auto until = self->clock().now() + to.options.last_answer;
    to.fail_open([&](auto& y) {
      if (y.shard != x.shard || y.whom != before.address())
        return false;
      y.until = std::min(y.until, until);
      return y.may_repeat;
    });
  }
  if (who)
    to.let_go(x.shard);
}

/// Whoever went was perhaps an owner.
template <class Self>
void owner_down(Self* self, const caf::actor_addr& whom) {
  auto& to = self->state.to;
  for (auto& at : to.places)
    if (at.who && at.who.address() == whom) {
      at.who = nullptr;
      to.options.lost();
    }
  to.fail_open([&](const auto& y) { return y.whom == whom; });
}

/// Now and then: what has waited too long ends.
template <class Self>
void tick_open(Self* self) {
  auto& to = self->state.to;
  const auto now = self->clock().now();
  to.refuse_late(now);
  to.let_go_again();
  to.fail_open([&](const auto& y) { return y.until <= now; });
}

} // namespace depositd::cluster

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(depositd::cluster::request_tick)
