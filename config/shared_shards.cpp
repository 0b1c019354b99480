#include "config/shared_shards.hpp"

#include "adapters/node/own_protocol.hpp"
#include "adapters/stores/files/own_leases.hpp"
#include "adapters/stores/postgres/postgres_shard_leases.hpp"
#include "config/engine_finder.hpp"
#include "config/record_logs.hpp"
#include "config/shard_threads.hpp"
#include "config/sources.hpp"

#include <caf/scoped_actor.hpp>

#include <spdlog/spdlog.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

namespace depositd {

namespace {

using std::chrono::milliseconds;

constexpr std::chrono::minutes minute{1};

/// Requests for a shard wait while it is handed over; whoever still works for
/// it then keeps its claims, or works in vain.
constexpr std::uint32_t hand_over_ms_max = 2'000;

/// Nobody else could take what nobody renews.
constexpr std::uint32_t own_lease_ms = 600'000;

/// A router that is there already gets to know the keeper later.
class lost_owner {
public:
  void tell() const {
    const std::lock_guard guard{mutex_};
    if (keeper_)
      caf::anon_send(keeper_, look_now{});
  }

  caf::strong_actor_ptr keeper() const {
    const std::lock_guard guard{mutex_};
    return caf::actor_cast<caf::strong_actor_ptr>(keeper_);
  }

  void meet(const shard_keeper_actor& who) {
    const std::lock_guard guard{mutex_};
    keeper_ = who;
  }

private:
  mutable std::mutex mutex_;
  shard_keeper_actor keeper_;
};

/// The stores of a data folder as they were opened when the engine started:
/// what is wrong with one is said then.
class opened_stores {
public:
  caf::error open_all(const depositd_settings& settings) {
    for (shard_number shard = 0; shard < settings.shards.count; ++shard) {
      auto stores = open_shard_stores(settings, shard, 0);
      if (!stores)
        return std::move(stores.error());
      const std::lock_guard guard{mutex_};
      stores_.insert_or_assign(shard, std::move(*stores));
    }
    return {};
  }

  std::optional<shard_stores> take(shard_number shard) {
    const std::lock_guard guard{mutex_};
    const auto at = stores_.find(shard);
    if (at == stores_.end())
      return {};
    std::optional out{std::move(at->second)};
    stores_.erase(at);
    return out;
  }

private:
  std::mutex mutex_;
  std::map<shard_number, shard_stores> stores_;
};

struct core_parts {
  shard_stores stores;
  depositd::engine::core_actors actors;
  record_logs logs;
  shard_schedulers schedulers;
  records::tracer_actor tracer; ///< null: nobody collects spans
};

/// Everything that opens one shard, for the keeper.
class core_factory {
public:
  core_factory(caf::actor_system& system, const shared_shards_options& options,
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

  caf::expected<cluster::opened_core> open(shard_number shard,
                                           epoch_number epoch) {
    auto stores = stores_of(shard, epoch);
    if (!stores)
      return std::move(stores.error());
    const in_thread_of here{shard};
    auto parts = std::make_shared<core_parts>();
    parts->stores = std::move(*stores);
    parts->actors =
      depositd::engine::spawn_core(system_, options_of(*parts, shard));
    if (auto wrong = open_logs(*parts, shard)) {
      end(*parts);
      return wrong;
    }
    parts->tracer =
      spawn_tracer(system_, spans_, parts->stores.journal.get());
    parts->schedulers = spawn_schedulers(
      system_,
      {settings_, parts->actors, router_, shard, settings_.shards.count});
    cluster::opened_core out;
    out.actors = parts->actors;
    out.close = [&system = system_, parts] {
      end_schedulers(system, parts->schedulers);
      end_record_logs(system, parts->logs);
      end_tracer(system, parts->tracer);
      depositd::engine::end_core(system, parts->actors);
      parts->stores = {};
    };
    return out;
  }

  /// Before the first is opened.
  opened_stores& first_stores() {
    return first_stores_;
  }

private:
  caf::expected<shard_stores> stores_of(shard_number shard,
                                        epoch_number epoch) {
    if (auto first = first_stores_.take(shard))
      return std::move(*first);
    return open_shard_stores(settings_, shard, epoch);
  }

  depositd::engine::core_options options_of(const core_parts& parts,
                                            shard_number shard) {
    depositd::engine::core_options out;
    out.shard = shard;
    out.shards = settings_.shards.count;
    out.router = router_;
    out.journal = parts.stores.journal.get();
    out.projection = parts.stores.projection.get();
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
    out.published = has_record_logs(settings_);
    return out;
  }

  caf::error open_logs(core_parts& parts, shard_number shard) {
    if (!has_record_logs(settings_))
      return {};
    record_logs_options out{settings_, parts.actors,
                            parts.stores.journal.get(), blobs_.get(), router_};
    out.shard = shard;
    out.shards = settings_.shards.count;
    out.roster = roster_;
    auto logs = spawn_record_logs(system_, std::move(out));
    if (!logs)
      return std::move(logs.error());
    parts.logs = std::move(*logs);
    return {};
  }

  void end(core_parts& parts) {
    depositd::engine::end_core(system_, parts.actors);
  }

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
};

} // namespace

struct shared_shards::parts {
  std::shared_ptr<core_factory> factory;
  std::shared_ptr<cluster::owned_shards> owned =
    std::make_shared<cluster::owned_shards>("");
  std::shared_ptr<lost_owner> lost = std::make_shared<lost_owner>();
  shard_router_actor router;
  projection_router_actor reader;
  caf::io::middleman_actor middleman;
  engine_finder_actor finder;
  shard_keeper_actor keeper;
  caf::actor brokers; ///< null without any
};

shared_shards::shared_shards(caf::actor_system& system,
                             shared_shards_options options)
  : system_(system), settings_(options.settings), roster_(options.roster),
    parts_(std::make_unique<parts>()) {
  parts_->middleman = options.middleman;
  cluster::forwarding_options to;
  to.count = settings_.shards.count;
  // Until the leases of an engine that died have ended, and somewhat longer.
  to.owner_wait = milliseconds{settings_.shards.lease_ms} + milliseconds{5'000};
  to.lost = [lost = parts_->lost] { lost->tell(); };
  parts_->router = system_.spawn(
    depositd::cluster::shard_router,
    cluster::shard_router_options{to, milliseconds{settings_.shards.lease_ms}});
  parts_->reader = system_.spawn(depositd::cluster::projection_router, to);
  parts_->factory
    = std::make_shared<core_factory>(system_, options, parts_->router);
}

shared_shards::~shared_shards() = default;

bool shared_shards::is_alone() const {
  return settings_.store.kind == store_kind::embedded;
}

shards_actor shared_shards::router() const {
  return parts_->router;
}

read_model_actor shared_shards::reader() const {
  return parts_->reader;
}

shard_keeper_actor shared_shards::keeper() const {
  return parts_->keeper;
}

std::function<caf::strong_actor_ptr()> shared_shards::keeper_later() const {
  return [lost = parts_->lost] { return lost->keeper(); };
}

std::function<engine_met()> shared_shards::owned() const {
  return [owned = parts_->owned] { return owned->get(); };
}

std::function<bool()> shared_shards::leads() const {
  return [owned = parts_->owned] {
    const auto ours = owned->get().shards;
    return std::any_of(ours.begin(), ours.end(),
                       [](const auto& x) { return x.shard == 0; });
  };
}

std::function<caf::expected<engine_met>(const meet_engine&)>
shared_shards::met() const {
  return [owned = parts_->owned, keeper = keeper_later()](
           const meet_engine& x) -> caf::expected<engine_met> {
    const auto who = caf::actor_cast<shard_keeper_actor>(keeper());
    if (!who) // it calls again
      return caf::make_error(ec::overloaded,
                             std::string{"the engine is starting"});
    caf::anon_send(who, x);
    return owned->get();
  };
}

caf::expected<std::unique_ptr<shard_leases>>
shared_shards::open_leases(const engine_identity& self) {
  if (is_alone())
    return own_leases(self, settings_.shards.count);
  return open_postgres_leases(
    {.server = {.url = settings_.store.url},
     .self = self,
     .count = settings_.shards.count,
     .facts = facts_of(settings_),
     .protocol = node::own_protocol(),
     .call_ms_max = std::clamp(settings_.shards.lease_ms / 3, 500U, 3'000U),
     .answers = [&system = system_, finder = parts_->finder,
                 name = self.name](const std::string& address) {
       return answers(system, finder, name, address);
     }});
}

caf::error shared_shards::join(const endpoint& node, const admin_actor& admin,
                               std::function<void(const caf::error&)> failed) {
  engine_identity self;
  self.address = settings_.node.advertise.empty() ? to_string(node)
                                                  : settings_.node.advertise;
  self.name = settings_.node.name.empty() ? self.address : settings_.node.name;
  const auto lease_ms = is_alone() ? own_lease_ms : settings_.shards.lease_ms;
  if (is_alone())
    if (auto wrong = parts_->factory->first_stores().open_all(settings_))
      return wrong;
  parts_->finder =
    spawn_engine_finder(system_, {.middleman = parts_->middleman});
  auto leases = open_leases(self);
  if (!leases)
    return std::move(leases.error());
  parts_->owned->rename(self.name);
  cluster::shard_keeper_options options;
  options.leases = std::move(*leases);
  options.lease_ms = lease_ms;
  options.open = [factory = parts_->factory, alone = is_alone(),
                  failed](shard_number shard, epoch_number epoch) {
    auto opened = factory->open(shard, epoch);
    if (!opened && alone) // nobody else could
      failed(opened.error());
    return opened;
  };
  options.finder = parts_->finder;
  options.admin = admin;
  options.owned = parts_->owned;
  options.drain_ms = std::min(settings_.shutdown.drain_ms, hand_over_ms_max);
  options.failed = std::move(failed);
  if (has_record_logs(settings_)) {
    const auto reached = std::make_shared<std::atomic<bool>>(true);
    parts_->brokers =
      watch_brokers(system_, settings_, roster_, lease_ms, reached);
    options.reaches_logs = [reached] { return reached->load(); };
  }
  parts_->keeper = system_.spawn(cluster::shard_keeper, std::move(options),
                                 parts_->router, parts_->reader);
  parts_->lost->meet(parts_->keeper);
  return {};
}

caf::error shared_shards::await_ready() {
  caf::scoped_actor self{system_};
  caf::error failure;
  // Leases of engines that died must end first, and their shards recover.
  const auto patience = milliseconds{2 * settings_.shards.lease_ms} + minute;
  self->request(parts_->router, patience, depositd::await_ready{})
    .receive([](const done&) {},
             [&](caf::error& why) { failure = std::move(why); });
  if (failure != caf::sec::request_timeout)
    return failure;
  spdlog::warn("shards_without_engine reason=\"the doors open all the same\"");
  return {};
}

void shared_shards::leave() {
  caf::scoped_actor self{system_};
  if (parts_->keeper) {
    // Stores must be closed before they go; what blocks there has limits.
    self->request(parts_->keeper, caf::infinite, leave_shards{})
      .receive([](const done&) {},
               [](const caf::error& why) {
                 spdlog::warn("shards_not_handed_over reason=\"{}\"",
                              render(why));
               });
    self->send_exit(parts_->keeper, caf::exit_reason::kill);
    self->send_exit(parts_->finder, caf::exit_reason::kill);
  }
  if (parts_->brokers)
    self->send_exit(parts_->brokers, caf::exit_reason::kill);
  self->send_exit(parts_->router, caf::exit_reason::kill);
  self->send_exit(parts_->reader, caf::exit_reason::kill);
}

} // namespace depositd
