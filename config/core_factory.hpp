#pragma once

// Opens shards where there are several: the stores of each, its core, and what
// belongs to it.

#include "actors/cluster/keeper/keeper.hpp"
#include "config/shared_shards.hpp"
#include "config/stores.hpp"

#include <atomic>
#include <map>
#include <mutex>
#include <optional>

namespace depositd {

/// The stores of a data folder as they were opened when the engine started:
/// what is wrong with one is said then.
class opened_stores {
public:
  caf::error open_all(const depositd_settings& settings);

  /// Once for each.
  std::optional<shard_stores> take(shard_number shard);

private:
  std::mutex mutex_;
  std::map<shard_number, shard_stores> stores_;
};

/// Everything that opens one shard, for the keeper. From any thread.
class core_factory {
public:
  core_factory(caf::actor_system& system, const shared_shards_options& options,
               shard_router_actor router);

  caf::expected<cluster::opened_core> open(shard_number shard,
                                           epoch_number epoch);

  /// Before the first is opened.
  opened_stores& first_stores() {
    return first_stores_;
  }

private:
  struct parts;

  caf::expected<shard_stores> stores_of(shard_number shard,
                                        epoch_number epoch);
  /// Says once that this machine's clock is another.
  void compare(const engine_clock& shared);
  depositd::engine::core_options options_of(const parts& of,
                                            shard_number shard);
  /// What has begun is in `of`, also if it fails or throws.
  caf::error begin(parts& of, shard_number shard, epoch_number epoch);
  caf::error open_logs(parts& of, shard_number shard);
  /// All that has begun, and then the stores that it used. Blocks.
  static void end(caf::actor_system& system, parts& of);

  caf::actor_system& system_;
  depositd_settings settings_;
  opened_stores first_stores_;
  std::shared_ptr<blob_store> blobs_;
  std::shared_ptr<doi_registry> registry_;
  std::shared_ptr<memory_budget> budget_;
  configuration_seen configuration_;
  pipelines_seen pipelines_;
  sources_seen sources_;
  fairness_seen fairness_;
  std::shared_ptr<log_roster> roster_;
  std::shared_ptr<span_sink> spans_;
  shard_router_actor router_;
  std::atomic<bool> told_of_clock_ = false;
};

} // namespace depositd
