#pragma once

// Owns the leases of this engine: takes free shards, keeps a core for each,
// gives them up in time and hands them over. Tells router and reader who has
// which shard, here and elsewhere.

#include "actors/cluster/lease_clerk.hpp"
#include "actors/cluster/projection_router.hpp"
#include "actors/cluster/router/shard_router.hpp"
#include "actors/engine/core.hpp"
#include "messages/actor_with.hpp"
#include "messages/actors.hpp"
#include "messages/cluster.hpp"

#include <caf/typed_event_based_actor.hpp>

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace depositd::cluster {

/// A core on stores of its own.
struct opened_core {
  depositd::engine::core_actors actors;
  /// Ends the core and closes its stores; returns when that is done. Blocks.
  std::function<void()> close;
};

/// What other engines may be told that we own. Thread-safe.
class owned_shards {
public:
  explicit owned_shards(std::string engine) {
    met_.engine = std::move(engine);
  }

  void rename(const std::string& engine);

  engine_met get() const;
  void put(const engine_met::owned& x);
  void erase(shard_number shard);

private:
  mutable std::mutex mutex_;
  engine_met met_;
};

/// To itself: look at the leases.
struct lease_tick {};

/// To itself: a shard that leaves may have no claims left.
struct look_at_claims {
  shard_number shard = 0;
  epoch_number epoch = 0;
  caf::actor_clock::time_point until; ///< then it leaves anyhow
};

using shard_keeper_self =
  shard_keeper_actor::extend<caf::reacts_to<lease_tick>,
                             caf::reacts_to<look_at_claims>>;

struct shard_keeper_options {
  std::shared_ptr<shard_leases> leases;
  std::uint32_t lease_ms = 15'000;
  /// Opens the stores of a shard under the epoch and spawns its core.
  std::function<caf::expected<opened_core>(shard_number, epoch_number)> open;
  engine_finder_actor finder;
  admin_actor admin; ///< ours, for engines that we connect to
  std::shared_ptr<owned_shards> owned;
  /// For claims inside the engine to end before a hand-over.
  std::uint32_t drain_ms = 10'000;
  std::chrono::milliseconds request_timeout{5'000};
  bool threads = true; ///< false: all on the scheduler, for tests
  /// Before a thread is asked for; throws while none can be had.
  std::function<void()> look_for_thread = [] {};
  /// Whether what our shards read and publish can be reached from here.
  std::function<bool()> reaches_logs = [] { return true; };
  /// This engine cannot go on.
  std::function<void(const caf::error&)> failed = [](const caf::error&) {};
};

/// A shard as the keeper sees it.
struct kept_shard {
  enum class phase : std::uint8_t {
    none,     ///< not ours
    taking,   ///< the lease is asked for
    opening,  ///< ours; the core opens, recovers, learns the settings
    serving,
    leaving,  ///< ours; it hands nothing out any more
    closing,  ///< not ours any more, but its core still ends
  };
  phase now = phase::none;
  epoch_number epoch = 0;
  caf::actor_clock::time_point ends;  ///< of the lease, at the latest
  caf::actor_clock::time_point since; ///< when we heard that it is ours
  std::shared_ptr<opened_core> core; ///< from `opening` on, once it is open
  bool release = false; ///< when closed: the lease is ours to give back
  /// Elsewhere: the owner that router and reader were told of.
  std::string told;
  /// Likewise: who has the lease, as they were told, and has not been met.
  std::string unmet;
  epoch_number reported_epoch = 0;
  caf::actor_clock::time_point free_since; ///< while nobody has it
  bool is_free = false;
  /// In a row: it could not be opened, or its core ended.
  std::uint32_t failures = 0;
  caf::actor_clock::time_point rests_until; ///< we leave it alone
  caf::actor_clock::time_point serves_since;
};

/// Another engine, while it is looked for or known.
struct met_engine {
  std::string address;
  admin_actor admin; ///< null: looked for
  std::uint64_t attempt = 0;
  bool asked = false; ///< its answer has not come
};

struct shard_keeper_state {
  using interface = shard_keeper_self;

  shard_keeper_options options;
  shard_router_actor router;
  projection_router_actor reader;
  lease_clerk_actor clerk;
  lease_clerk_actor taker; ///< may be held up, renewals may not
  std::vector<kept_shard> shards;
  lease_table table; ///< the newest
  std::map<std::string, met_engine> engines; ///< by name
  std::uint64_t attempts = 0;
  std::map<std::string, std::string> trouble; ///< with whom, as was logged
  caf::actor_clock::time_point seen_at;       ///< the table, or we began
  bool reached = true; ///< the store of leases, as the router was told
  bool reaches_logs = true; ///< as the others were told
  caf::actor_clock::time_point renew_at;
  bool looking = false;
  bool look_again = false;
  std::string unreached; ///< why the leases could not be seen last; empty: seen
  bool leaving = false;
  bool left = false;
  std::vector<caf::typed_response_promise<done>> awaiting_left;

  static inline const char* name = "shard_keeper";
};

using shard_keeper_pointer = actor_with<shard_keeper_state>*;

/// Lives until it has left (`leave_shards`); ending it otherwise leaves the
/// leases to end by themselves.
shard_keeper_self::behavior_type shard_keeper(shard_keeper_pointer self,
                                              shard_keeper_options options,
                                              shard_router_actor router,
                                              projection_router_actor reader);

} // namespace depositd::cluster

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(depositd::cluster::lease_tick)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(depositd::cluster::look_at_claims)
