#pragma once

// Several shards: leases, cores, and the router and reader that stand for all
// of them. Engines share those of a database; those of a data folder are one
// engine's.

#include "actors/cluster/keeper/keeper.hpp"
#include "config/record_logs.hpp"
#include "config/settings.hpp"
#include "config/stores.hpp"
#include "config/tracing.hpp"

#include <caf/actor_system.hpp>
#include <caf/io/middleman_actor.hpp>

#include <functional>
#include <memory>

namespace depositd {

struct shared_shards_options {
  const depositd_settings& settings;
  const stores& durable; ///< blobs and registry; outlives the actors
  std::shared_ptr<memory_budget> budget;
  configuration_seen configuration;
  pipelines_seen pipelines;
  sources_seen sources;
  fairness_seen fairness;
  std::shared_ptr<log_roster> roster;
  caf::io::middleman_actor middleman; ///< of this engine's node port
  std::shared_ptr<span_sink> spans;   ///< may be null
};

class shared_shards {
public:
  /// Spawns router and reader; nothing is owned yet.
  shared_shards(caf::actor_system& system, shared_shards_options options);
  ~shared_shards();

  shared_shards(const shared_shards&) = delete;
  shared_shards& operator=(const shared_shards&) = delete;

  /// Whether there can be no other engine.
  bool is_alone() const;

  shards_actor router() const;
  read_model_actor reader() const;
  shard_keeper_actor keeper() const;

  /// The keeper as of each call; null before `join`.
  std::function<caf::strong_actor_ptr()> keeper_later() const;

  /// What we own, as of each call; any thread may call it.
  std::function<engine_met()> owned() const;

  /// Whether we speak for all engines that share the shards: whoever has the
  /// first. Any thread may ask, as of each call.
  std::function<bool()> leads() const;

  /// Takes the calls of other engines; answers what we own.
  std::function<caf::expected<engine_met>(const meet_engine&)> met() const;

  /// Takes part from now on; `node` is where others reach us, by `admin`,
  /// unless the settings say otherwise. `failed`: another engine has our name.
  /// The error is one line that names what is wrong.
  caf::error join(const endpoint& node, const admin_actor& admin,
                  std::function<void(const caf::error&)> failed);

  /// Returns when every shard has an owner and the settings are known, or, with
  /// other engines, they have not come within a minute and two leases. Blocks.
  caf::error await_ready();

  /// Hands over what is ours; returns when no store is open. Blocks.
  void leave();

private:
  struct parts;

  caf::error await_all();

  caf::expected<std::unique_ptr<shard_leases>>
  open_leases(const engine_identity& self);

  caf::actor_system& system_;
  depositd_settings settings_;
  std::shared_ptr<log_roster> roster_;
  std::unique_ptr<parts> parts_;
};

} // namespace depositd
