#include "config/shared_shards.hpp"

#include "adapters/node/own_protocol.hpp"
#include "adapters/stores/files/own_leases.hpp"
#include "adapters/stores/postgres/postgres_shard_leases.hpp"
#include "config/core_factory.hpp"
#include "config/engine_finder.hpp"
#include "config/record_logs.hpp"
#include "messages/thread_probe.hpp"

#include <caf/event_based_actor.hpp>
#include <caf/scoped_actor.hpp>

#include <spdlog/spdlog.h>

#include <algorithm>
#include <condition_variable>
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

/// What comes first of a start: its end, or what keeps it from that.
class first_news {
public:
  /// False if the start has ended well: the news are of something else.
  bool tell(caf::error what) {
    const std::lock_guard guard{mutex_};
    if (told_)
      return static_cast<bool>(*told_);
    told_ = std::move(what);
    came_.notify_all();
    return true;
  }

  caf::error await() {
    std::unique_lock guard{mutex_};
    came_.wait(guard, [this] { return told_.has_value(); });
    return *told_;
  }

private:
  std::mutex mutex_;
  std::condition_variable came_;
  std::optional<caf::error> told_;
};

} // namespace

struct shared_shards::parts {
  std::shared_ptr<core_factory> factory;
  std::shared_ptr<cluster::owned_shards> owned =
    std::make_shared<cluster::owned_shards>("");
  std::shared_ptr<lost_owner> lost = std::make_shared<lost_owner>();
  std::shared_ptr<first_news> news = std::make_shared<first_news>();
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
                  news = parts_->news,
                  failed](shard_number shard, epoch_number epoch) {
    auto opened = factory->open(shard, epoch);
    // Nobody else could: the start is over, or the engine.
    if (!opened && alone && !news->tell(opened.error()))
      failed(opened.error());
    return opened;
  };
  options.finder = parts_->finder;
  options.admin = admin;
  options.owned = parts_->owned;
  options.drain_ms = std::min(settings_.shutdown.drain_ms, hand_over_ms_max);
  options.look_for_thread = look_for_thread;
  options.failed = std::move(failed);
  // Who does not reach them hands its shards to others.
  if (has_record_logs(settings_) && !is_alone()) {
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

caf::error shared_shards::await_all() {
  system_.spawn([router = parts_->router,
                 news = parts_->news](caf::event_based_actor* self) {
    self->request(router, caf::infinite, depositd::await_ready{})
      .then([=](const done&) { news->tell({}); },
            [=](const caf::error& why) { news->tell(why); });
  });
  return parts_->news->await();
}

caf::error shared_shards::await_ready() {
  if (is_alone())
    return await_all();
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
