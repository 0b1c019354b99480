#include "config/core_factory.hpp"

#include "config/shard_threads.hpp"
#include "config/sources.hpp"

#include <spdlog/spdlog.h>

#include <chrono>
#include <cstdlib>
#include <exception>
#include <utility>

namespace depositd {

namespace {

/// Beyond what an answer's way explains.
constexpr std::chrono::seconds clock_off_max{5};

} // namespace

caf::error opened_stores::open_all(const depositd_settings& settings) {
  for (shard_number shard = 0; shard < settings.shards.count; ++shard) {
    auto stores = open_shard_stores(settings, shard, 0);
    if (!stores)
      return std::move(stores.error());
    const std::lock_guard guard{mutex_};
    stores_.insert_or_assign(shard, std::move(*stores));
  }
  return {};
}

std::optional<shard_stores> opened_stores::take(shard_number shard) {
  const std::lock_guard guard{mutex_};
  const auto at = stores_.find(shard);
  if (at == stores_.end())
    return {};
  std::optional out{std::move(at->second)};
  stores_.erase(at);
  return out;
}

struct core_factory::parts {
  shard_stores stores;
  depositd::engine::core_actors actors;
  record_logs logs;
  shard_schedulers schedulers;
  records::tracer_actor tracer; ///< null: nobody collects spans
};

core_factory::core_factory(caf::actor_system& system,
                           const shared_shards_options& options,
                           shard_router_actor router)
  : system_(system), settings_(options.settings),
    blobs_(options.durable.blobs), registry_(options.durable.registry),
    budget_(options.budget), configuration_(options.configuration),
    pipelines_(options.pipelines), sources_(options.sources),
    fairness_(options.fairness), roster_(options.roster),
    spans_(options.spans),
    router_(std::move(router)) {
  // nop
}

caf::expected<cluster::opened_core> core_factory::open(shard_number shard,
                                                       epoch_number epoch) {
  auto own = std::make_shared<parts>();
  caf::error wrong;
  try {
    wrong = begin(*own, shard, epoch);
  } catch (const std::exception& why) { // without a thread, for one
    wrong = caf::make_error(ec::overloaded, std::string{why.what()});
  }
  if (wrong) {
    end(system_, *own);
    return wrong;
  }
  cluster::opened_core out;
  out.actors = own->actors;
  out.close = [&system = system_, own] { end(system, *own); };
  return out;
}

caf::error core_factory::begin(parts& of, shard_number shard,
                               epoch_number epoch) {
  auto stores = stores_of(shard, epoch);
  if (!stores)
    return std::move(stores.error());
  compare(stores->clock);
  of.stores = std::move(*stores);
  const in_thread_of here{shard};
  of.actors = depositd::engine::spawn_core(system_, options_of(of, shard));
  if (auto wrong = open_logs(of, shard))
    return wrong;
  of.tracer = spawn_tracer(system_, spans_, of.stores.journal.get());
  of.schedulers = spawn_schedulers(
    system_,
    {settings_, of.actors, router_, shard, settings_.shards.count});
  return {};
}

void core_factory::end(caf::actor_system& system, parts& of) {
  end_schedulers(system, of.schedulers);
  end_record_logs(system, of.logs);
  end_tracer(system, of.tracer);
  depositd::engine::end_core(system, of.actors);
  of.stores = {};
}

void core_factory::compare(const engine_clock& shared) {
  using namespace std::chrono;
  const auto off_us = engine_clock::system().now() - shared.now();
  const auto off = std::abs(off_us) > microseconds{clock_off_max}.count();
  if (off && !told_of_clock_.exchange(true))
    spdlog::warn("clock_differs ahead_ms={} reason=\"claims and delays go by "
                 "the database's clock, all else by this machine's\"",
                 off_us / 1000);
}

caf::expected<shard_stores> core_factory::stores_of(shard_number shard,
                                                    epoch_number epoch) {
  if (auto first = first_stores_.take(shard))
    return std::move(*first);
  return open_shard_stores(settings_, shard, epoch);
}

depositd::engine::core_options core_factory::options_of(const parts& of,
                                                        shard_number shard) {
  depositd::engine::core_options out;
  out.shard = shard;
  out.shards = settings_.shards.count;
  out.router = router_;
  out.clock = of.stores.clock;
  out.journal = of.stores.journal.get();
  out.projection = of.stores.projection.get();
  out.blobs = blobs_.get();
  out.registry = registry_.get();
  out.budget = budget_;
  out.queues_per_key_max = settings_.emodb.queues_per_key_max;
  if (shard == 0) {
    out.configuration = configuration_;
    out.pipelines = pipelines_;
    out.sources = sources_;
    out.fairness = fairness_;
  }
  out.retention_s
    = std::int64_t{settings_.retention.submissions_days} * 24 * 3600;
  out.wall_us = [] { return engine_clock::system().now(); };
  out.published = has_record_logs(settings_);
  return out;
}

caf::error core_factory::open_logs(parts& of, shard_number shard) {
  if (!has_record_logs(settings_))
    return {};
  record_logs_options out{settings_, of.actors, of.stores.journal.get(),
                          blobs_.get(), router_};
  out.shard = shard;
  out.shards = settings_.shards.count;
  out.roster = roster_;
  auto logs = spawn_record_logs(system_, std::move(out));
  if (!logs)
    return std::move(logs.error());
  of.logs = std::move(*logs);
  return {};
}

} // namespace depositd
