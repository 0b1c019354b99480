#pragma once

// Several engines on the deterministic scheduler that share shards in memory.

#include "actors/cluster/keeper/keeper.hpp"
#include "adapters/stores/memory/memory_blob_store.hpp"
#include "adapters/stores/memory/memory_journal_store.hpp"
#include "tests/support/actor_fixture.hpp"
#include "tests/support/meeting_admin.hpp"
#include "tests/support/memory_shard_leases.hpp"
#include "tests/support/memory_tables.hpp"

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

namespace depositd::testing {

class shards_world : public actor_fixture {
protected:
  static constexpr std::uint32_t lease_ms = 3'000;
  using milliseconds = std::chrono::milliseconds;

  struct disk {
    std::shared_ptr<memory_journal> log = make_memory_journal();
    std::shared_ptr<projection_store> tables = make_memory_projection();
  };

  struct engine {
    std::string name;
    std::shared_ptr<shard_leases> leases;
    std::shared_ptr<cluster::owned_shards> owned;
    shard_router_actor router;
    projection_router_actor reader;
    shard_keeper_actor keeper;
    admin_actor admin;
    std::map<shard_number, depositd::engine::core_actors> cores;
    caf::error failure;
    bool reaches_logs = true;
    bool has_threads = true;
  };

  void begin(shard_number count) {
    shards = count;
    disks.resize(count);
    database =
      make_memory_leases({count, [this] { return sched.clock().now(); }});
    configuration.queues.push_back({"metadata", deposit_queue_defaults()});
  }

  caf::expected<cluster::opened_core> open(engine& on, shard_number shard,
                                           epoch_number epoch) {
    auto& at = disks[shard];
    auto journal = open_memory_journal(at.log, epoch);
    if (!journal)
      return journal.error();
    std::shared_ptr<journal_store> log{std::move(*journal)};
    depositd::engine::core_options options;
    options.shard = shard;
    options.shards = shards;
    options.router = on.router;
    options.journal = log.get();
    options.projection = at.tables.get();
    options.blobs = blobs.get();
    options.registry = registry.get();
    options.threads = false;
    options.clock = engine_clock{time_us, sched.clock().now()};
    options.budget = std::make_shared<memory_budget>(1 << 20);
    if (shard == 0)
      options.configuration = configuration;
    cluster::opened_core out;
    out.actors = depositd::engine::spawn_core(sys, std::move(options));
    for (const auto& [name, who] : out.actors.all())
      adopt(who);
    on.cores[shard] = out.actors;
    logs.push_back(log); // actors that are told to end may still read it
    out.close = [&on, shard, actors = out.actors] {
      for (const auto& [name, who] : actors.all())
        caf::anon_send_exit(who, caf::exit_reason::kill);
      on.cores.erase(shard);
    };
    return out;
  }

  engine& join(const std::string& name) {
    auto& out = *engines.emplace_back(std::make_unique<engine>());
    out.name = name;
    auto joined = open_memory_leases(database, {name, name}, shards);
    EXPECT_TRUE(joined) << render(joined.error());
    out.leases = std::move(*joined);
    if (around_leases)
      out.leases = around_leases(std::move(out.leases));
    out.owned = std::make_shared<cluster::owned_shards>(name);
    out.admin = spawn(meeting_admin, out.owned, [this, name](const auto& who) {
      if (calls_lost > 0 && calls_lost-- > 0)
        return false;
      if (keeper_of[name])
        caf::anon_send(keeper_of[name], who);
      return bool{keeper_of[name]};
    });
    admins[name] = out.admin;
    keeper_of[name] = nullptr;
    cluster::forwarding_options to;
    to.count = shards;
    to.owner_wait = milliseconds{2 * lease_ms};
    to.lost = [this, name] {
      if (keeper_of[name])
        caf::anon_send(keeper_of[name], look_now{});
    };
    out.router =
      spawn(cluster::shard_router,
            cluster::shard_router_options{to, milliseconds{lease_ms}});
    out.reader = spawn(cluster::projection_router, to);
    cluster::shard_keeper_options options;
    options.leases = out.leases;
    options.lease_ms = lease_ms;
    options.open = [this, &out](shard_number shard, epoch_number epoch) {
      raise_epoch(*disks[shard].log, epoch);
      ++openings[shard];
      if (damaged.contains(shard))
        return caf::expected<cluster::opened_core>{
          caf::make_error(ec::store_damaged, std::string{"as a test wants"})};
      return open(out, shard, epoch);
    };
    options.finder = finder();
    options.admin = out.admin;
    options.owned = out.owned;
    options.drain_ms = 1'000;
    options.threads = false;
    options.look_for_thread = [&out] {
      if (!out.has_threads)
        throw std::runtime_error("as a test wants");
    };
    options.reaches_logs = [&out] { return out.reaches_logs; };
    options.failed = [&out](const caf::error& why) { out.failure = why; };
    auto keeper = spawn(cluster::shard_keeper, options, out.router, out.reader);
    out.keeper = keeper;
    keeper_of[name] = out.keeper;
    return out;
  }

  /// Everything of the engine is gone at once, as after a kill.
  void crash(engine& x) {
    caf::anon_send_exit(x.keeper, caf::exit_reason::kill);
    caf::anon_send_exit(x.router, caf::exit_reason::kill);
    caf::anon_send_exit(x.reader, caf::exit_reason::kill);
    caf::anon_send_exit(x.admin, caf::exit_reason::kill);
    admins.erase(x.name); // nobody listens there
    for (const auto& [shard, core] : x.cores)
      for (const auto& [name, who] : core.all())
        caf::anon_send_exit(who, caf::exit_reason::kill);
    x.cores.clear();
    settle();
  }

  engine_finder_actor finder() {
    return spawn([this](engine_finder_actor::pointer)
                   -> engine_finder_actor::behavior_type {
      return {
        [this](const find_engine& x) -> caf::result<engine_found> {
          looked_for.insert(x.address);
          const auto at = admins.find(x.address);
          if (at == admins.end())
            return caf::make_error(caf::sec::cannot_connect_to_node);
          return engine_found{at->second};
        },
      };
    });
  }

  void pass(milliseconds time) {
    for (auto left = time; left > milliseconds{0}; left -= milliseconds{50})
      advance(milliseconds{50});
  }

  static std::vector<shard_number> owns(const engine& x) {
    std::vector<shard_number> out;
    for (const auto& shard : x.owned->get().shards)
      out.push_back(shard.shard);
    std::sort(out.begin(), out.end());
    return out;
  }

  /// A name that the shard keeps.
  std::string name_in(shard_number shard, const std::string& stem) const {
    for (auto i = 0;; ++i) {
      auto out = stem + std::to_string(i);
      if (shard_of(out, shards) == shard)
        return out;
    }
  }

  std::vector<item_id> put(engine& via, const std::string& queue,
                           const std::vector<new_item>& items) {
    auto reply = ask<enqueued>(via.router, enqueue{queue, items});
    EXPECT_TRUE(reply) << (reply ? "" : render(reply.error()));
    return reply ? reply->ids : std::vector<item_id>{};
  }

  caf::expected<items_received> poll(engine& via, const std::string& queue,
                                     std::uint32_t count,
                                     std::uint32_t lease = 60'000) {
    return ask<items_received>(via.router,
                               receive_items{queue, "worker", count, lease});
  }

  static std::vector<std::string> bodies(const items_received& x) {
    std::vector<std::string> out;
    for (const auto& item : x.items)
      if (item.name.id != 0)
        out.push_back(item.body ? *item.body : std::string{"?"});
    std::sort(out.begin(), out.end());
    return out;
  }

  caf::expected<enqueued> deposit(engine& via, const std::string& user,
                                  const std::string& file) {
    submit what;
    what.queue = "metadata";
    what.user = user;
    what.submission.file_name = file;
    what.submission.blob = "none";
    return ask<enqueued>(via.router, std::move(what));
  }

  control_snapshot settings_in(const engine& owner, shard_number shard) {
    const auto known =
      ask<control_changed>(owner.cores.at(shard).shard, watch_control{nullptr});
    EXPECT_TRUE(known);
    return known ? known->state : nullptr;
  }

  shard_number shards = 1;
  micros time_us = 1'700'000'000'000'000;
  configuration_seen configuration;
  std::vector<disk> disks;
  std::shared_ptr<memory_leases> database;
  std::shared_ptr<blob_store> blobs = make_memory_blobs();
  std::shared_ptr<doi_registry> registry = make_memory_registry();
  std::vector<std::shared_ptr<journal_store>> logs;
  std::vector<std::unique_ptr<engine>> engines;
  std::map<std::string, admin_actor> admins;
  std::map<shard_number, int> openings; ///< that were tried
  std::set<shard_number> damaged;       ///< cannot be opened
  int calls_lost = 0;               ///< of `meet_engine`, from now on
  std::set<std::string> looked_for; ///< addresses that engines connected to
  std::map<std::string, shard_keeper_actor> keeper_of;
  /// What engines that join get in place of their leases.
  std::function<std::shared_ptr<shard_leases>(std::shared_ptr<shard_leases>)>
    around_leases;
};

} // namespace depositd::testing
