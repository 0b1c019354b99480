#pragma once

// Everything that makes one shard live, wired once: the program, its tests and
// the simulation spawn it here.

#include "actors/journal/writer.hpp"
#include "messages/actors.hpp"
#include "messages/ports/blob_store.hpp"
#include "messages/ports/doi_registry.hpp"
#include "messages/ports/journal_store.hpp"
#include "messages/ports/projection_store.hpp"
#include "messages/values/clock.hpp"
#include "messages/values/memory_budget.hpp"
#include "messages/values/sharding.hpp"

#include <caf/actor_system.hpp>

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace depositd::engine {

struct core_options {
  shard_number shard = 0;
  shard_number shards = 1; ///< how many there are
  shard_router_actor router;        ///< to all of them; null if there is one
  journal_store* journal = nullptr; ///< all stores outlive the actors
  projection_store* projection = nullptr;
  blob_store* blobs = nullptr;
  doi_registry* registry = nullptr;
  std::filesystem::path data_folder; ///< of these stores; empty: none
  /// What blocks on the disk has threads of its own; else all of it runs on the
  /// scheduler, as the deterministic one wants.
  bool threads = true;
  /// Small groups are written on the scheduler all the same. The store must not
  /// wait for anything but a disk.
  bool small_groups_near = false;
  engine_clock clock = engine_clock::system();
  std::shared_ptr<memory_budget> budget;
  configuration_seen configuration; ///< shard 0 only
  pipelines_seen pipelines;         ///< likewise
  sources_seen sources;             ///< likewise
  fairness_seen fairness;           ///< likewise
  std::size_t group_bytes_max = 4 * 1024 * 1024;
  std::uint32_t slice_items = 1000; ///< of a bulk action, done at once
  std::uint32_t queues_per_key_max = no_cap; ///< see `shard_options`
  std::chrono::seconds queue_idle_max{0};
  std::int64_t retention_s = 365LL * 24 * 3600;
  std::function<micros()> wall_us; ///< see `projector_options`
  std::uint64_t disk_spare_bytes = 512ULL * 1024 * 1024;
  std::chrono::milliseconds project_every{500};
  bool published = false; ///< somebody publishes the journal
  std::function<std::string()> new_reference; ///< see `shard_options`
};

/// The actors of one shard.
struct core_actors {
  journal_actor journal;
  journal_writer_actor writer;
  journal_writer_actor near_writer; ///< may be null
  body_reader_actor bodies;
  projector_actor projector;
  shard_actor shard;

  /// By the name that an operator knows, for those who watch them.
  std::vector<std::pair<const char*, caf::strong_actor_ptr>> all() const;
};

/// Spawns the core of a shard; it recovers at once (`await_ready` tells).
core_actors spawn_core(caf::actor_system& system, core_options options);

/// Ends the shard at once and the others after what they have begun; returns
/// when none of them touches a store any more. Blocks.
void end_core(caf::actor_system& system, const core_actors& core);

} // namespace depositd::engine
