#include "config/engine.hpp"

#include "actors/engine/core.hpp"
#include "actors/engine/supervisor.hpp"
#include "adapters/doors/kit/actor_loop.hpp"
#include "adapters/doors/kit/client_audit.hpp"
#include "adapters/doors/kit/request_quotas.hpp"
#include "adapters/node/own_protocol.hpp"
#include "config/audit_log.hpp"
#include "config/doors.hpp"
#include "config/draining.hpp"
#include "config/metrics.hpp"
#include "config/node_door.hpp"
#include "config/own_people.hpp"
#include "config/process_memory.hpp"
#include "config/shard_threads.hpp"
#include "config/shipped_pipelines.hpp"
#include "config/source_settings.hpp"
#include "messages/message_types.hpp"
#include "messages/values/node_options.hpp"
#include "messages/values/operations.hpp"

#include <caf/io/middleman.hpp>
#include <caf/scoped_actor.hpp>

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

namespace depositd {

using namespace std::chrono_literals;

namespace {

configuration_seen configuration_of(const depositd_settings& settings) {
  configuration_seen out;
  for (const auto& [name, queue] : settings.queues)
    out.queues.push_back({name, queue});
  if (!settings.mail.smtp.empty() && settings.queues.count(notify_queue) == 0)
    out.queues.push_back({notify_queue, outbox_queue_defaults()});
  out.processors_count = settings.processors.count;
  out.prohibited_users = settings.prohibited_users;
  return out;
}

/// What the node port asks about each message.
admission admission_of(const std::shared_ptr<depositd::engine::grants>& given) {
  return {[given](const peer& who, caf::actor_id whom) {
            return given->may_address(who, whom);
          },
          [given](const peer& who) { return given->may_forward(who); }};
}

} // namespace

engine_config::engine_config() {
  add_depositd_messages(*this);
  load<caf::io::middleman>();
  // Sharing sleeps where stealing spins; one worker beats two, because journal,
  // projector, sockets and handlers have threads of their own.
  set("scheduler.policy", caf::atom("sharing"));
  set("scheduler.max-threads", std::size_t{1});
  set("scheduler.max-throughput", std::size_t{64});
  apply_node_options(*this, node::own_protocol());
}

engine_config::engine_config(const depositd_settings& settings)
  : engine_config() {
  if (settings.threads.one_loop)
    kit::run_actors_in_loop(*this);
  else if (settings.shards.count > 1
           && settings.store.kind == store_kind::embedded)
    run_shards_in_threads(*this, shard_threads(settings.shards.count));
}

caf::expected<std::unique_ptr<engine_node>>
engine_node::start(caf::actor_system& system, const depositd_settings& settings,
                   std::function<void(const std::string&)> failed) {
  std::unique_ptr<engine_node> out{new engine_node(system, settings)};
  out->failed_ = std::move(failed);
  if (auto wrong = out->open_everything()) {
    out->stop();
    return wrong;
  }
  return out;
}

caf::error engine_node::open_everything() {
  using steps = std::vector<caf::error (engine_node::*)()>;
  if (auto wrong = prepare_node())
    return wrong;
  const auto order =
    settings_.shards.count == 1
      ? steps{&engine_node::start_core,      &engine_node::await_recovery,
              &engine_node::spawn_operators, &engine_node::open_doors,
              &engine_node::open_node,       &engine_node::open_record_logs,
              &engine_node::open_schedulers}
      // Others must reach us before they can share anything with us.
      : steps{&engine_node::start_sharing,  &engine_node::spawn_operators,
              &engine_node::open_node,      &engine_node::join_engines,
              &engine_node::await_recovery, &engine_node::open_doors};
  for (const auto& step : order)
    if (auto wrong = (this->*step)())
      return wrong;
  spawn_supervisor();
  return {};
}

engine_node::engine_node(caf::actor_system& system,
                         const depositd_settings& settings)
  : system_(system), settings_(settings),
    budget_(std::make_shared<memory_budget>(
      budget_of(settings.memory, find_memory_limits()))),
    quotas_(std::make_shared<kit::request_quotas>()),
    public_address_(std::make_shared<public_address>(settings)) {
  const auto& most = budget_->most();
  spdlog::info("memory_budget bytes={} bodies_kept={}", most.bytes_max,
               most.kept_max);
}

engine_node::~engine_node() = default;

caf::error engine_node::start_core() {
  auto durable = open_stores(settings_, watch(cut_));
  if (!durable)
    return std::move(durable.error());
  stores_ = std::move(*durable);
  depositd::engine::core_options options;
  options.journal = stores_.journal.get();
  // Another store waits for more than a disk.
  options.small_groups_near = settings_.threads.one_loop
                              && settings_.store.kind == store_kind::embedded;
  options.projection = stores_.projection.get();
  options.blobs = stores_.blobs.get();
  options.registry = stores_.registry.get();
  options.data_folder = settings_.data.folder;
  options.budget = budget_;
  options.configuration = configuration_of(settings_);
  options.pipelines = pipelines_;
  options.sources = configured_sources(settings_);
  options.fairness = configured_fairness(settings_);
  options.retention_s
    = std::int64_t{settings_.retention.submissions_days} * 24 * 3600;
  options.wall_us = [] { return engine_clock::system().now(); };
  options.published = has_record_logs(settings_);
  options.queues_per_key_max = settings_.emodb.queues_per_key_max;
  options.queue_idle_max =
    std::chrono::hours{24} * settings_.emodb.queue_idle_days;
  core_ = depositd::engine::spawn_core(system_, std::move(options));
  tracer_ = spawn_tracer(system_, spans_, stores_.journal.get());
  shard_ = core_.shard;
  reads_ = core_.projector;
  return {};
}

caf::error engine_node::start_sharing() {
  auto durable = open_shared_stores(settings_, watch(cut_));
  if (!durable)
    return std::move(durable.error());
  stores_ = std::move(*durable);
  shared_ = std::make_unique<shared_shards>(
    system_, shared_shards_options{settings_, stores_, budget_,
                                   configuration_of(settings_), pipelines_,
                                   configured_sources(settings_),
                                   configured_fairness(settings_), roster_,
                                   node_->middleman(), spans_});
  shard_ = shared_->router();
  reads_ = shared_->reader();
  return {};
}

caf::error engine_node::join_engines() {
  return shared_->join({settings_.node.listen.host, node_port_}, admin_,
                       [failed = failed_](const caf::error& why) {
                         failed(render(why));
                       });
}

caf::error engine_node::await_recovery() {
  if (shared_)
    return shared_->await_ready();
  caf::scoped_actor self{system_};
  caf::error failure;
  self->request(shard_, caf::infinite, await_ready{})
    .receive([](const done&) {},
             [&](caf::error& why) { failure = std::move(why); });
  return failure;
}

caf::error engine_node::open_doors() {
  doors_options options{
    settings_, stores_, shard_, reads_, orders_.desk, admin_, handler_,
    [roster = roster_] { return roster->waits(); }, shares_, budget_};
  options.quotas = quotas_;
  options.audit = std::make_shared<kit::client_audit>(audit_log(settings_));
  options.metrics
    = metrics_of({core_, shared_.get(), roster_, processors_, budget_});
  options.node_certificate = node_->life();
  auto opened = doors::open(system_, std::move(options));
  if (!opened)
    return opened.error();
  doors_ = std::move(*opened);
  public_address_->opened(doors_->http_address());
  return {};
}

caf::error engine_node::prepare_node() {
  auto spans = open_span_sink(settings_);
  if (!spans)
    return std::move(spans.error());
  spans_ = std::move(*spans);
  auto pipelines = pipelines_of(settings_, {built_in_handlers()});
  if (!pipelines)
    return std::move(pipelines.error());
  pipelines_ = std::move(*pipelines);
  shares_ = descriptor_shares_of(settings_);
  given_ =
    std::make_shared<depositd::engine::grants>(own_people_of(settings_));
  auto opened = open_node_port(
    system_, settings_, shares_, admission_of(given_),
    [given = given_](const gate::certificate_facts& own) {
      given->take_certificate(own.name, own.fingerprint);
    });
  if (!opened)
    return std::move(opened.error());
  node_ = std::move(*opened);
  return {};
}

caf::error engine_node::open_node() {
  const auto port = node_->publish(admin_, settings_.node.listen);
  if (!port)
    return caf::make_error(ec::bad_setting,
                           "node.listen: " + render(port.error()));
  node_port_ = *port;
  return {};
}

void engine_node::reload() {
  node_->reload();
  doors_->reload(false);
}

void engine_node::look_at_certificates() {
  doors_->reload(true);
}

caf::error engine_node::open_record_logs() {
  if (!has_record_logs(settings_))
    return {};
  record_logs_options options{settings_, core_, stores_.journal.get(),
                              stores_.blobs.get(), core_.shard};
  options.roster = roster_;
  auto logs = spawn_record_logs(system_, std::move(options));
  if (!logs)
    return logs.error();
  logs_ = std::move(*logs);
  return {};
}

caf::error engine_node::open_schedulers() {
  schedulers_ =
    spawn_schedulers(system_, {settings_, core_, core_.shard});
  return {};
}

void engine_node::spawn_supervisor() {
  depositd::engine::supervisor_options watching;
  watching.shard = shard_;
  watching.processors = processors_;
  watching.projector = core_.projector; // the keeper settles what it hands over
  watching.drain_ms = settings_.shutdown.drain_ms;
  const auto watch = [&](const char* name, const auto& who) {
    watching.watched.emplace_back(
      name, caf::actor_cast<caf::strong_actor_ptr>(who));
  };
  if (!shared_)
    for (const auto& [name, who] : core_.all())
      watching.watched.emplace_back(name, who);
  if (shared_) {
    watch("router", shard_);
    watch("reader", reads_);
    watch("shard_keeper", shared_->keeper());
  }
  watch("handler", handler_);
  watch("processor_manager", processors_);
  watch("native", native_);
  watch("node_face", node_face_);
  watch("admin", admin_);
  watching.failed
    = [failed = failed_](const std::string& who,
                                   const caf::error& why) {
        failed(who + " ended: " + render(why));
      };
  supervisor_ =
    system_.spawn(depositd::engine::supervisor, std::move(watching));
}

std::string engine_node::ready_line() const {
  const endpoint node{settings_.node.listen.host, node_port_};
  const auto nsq = doors_->nsq_address();
  const auto nsq_http = doors_->nsq_http_address();
  return "ready http=" + doors_->http_address()
         + " admin=" + doors_->admin_address() + " node=" + to_string(node)
         + (nsq.empty() ? "" : " nsq=" + nsq)
         + (nsq_http.empty() ? "" : " nsq_http=" + nsq_http)
         + " data=" + settings_.data.folder.string();
}

void engine_node::drain_all() {
  if (!supervisor_)
    return;
  // Each part has its own limit, and a way to go.
  const std::chrono::milliseconds most{settings_.shutdown.drain_ms + 4'000};
  caf::scoped_actor self{system_};
  self->request(supervisor_, most, stop_engine{})
    .receive([](const done&) {},
             [](const caf::error& why) {
               spdlog::warn("drain_incomplete reason=\"{}\"", render(why));
             });
}

/// Of what has not ended by itself, also where doors wait for a store. False:
/// in vain.
bool engine_node::end_work() {
  const bool drained = !processors_ || is_drained(system_, processors_, 1s);
  cut_->make();
  return drained || is_drained(system_, processors_, 5s);
}

bool engine_node::stop() {
  if (doors_)
    doors_->close();
  gate_->stop(); // the engine does not wait for the end of a backup
  if (logs_.in)
    caf::anon_send_exit(logs_.in, caf::exit_reason::kill);
  end_schedulers(system_, schedulers_);
  drain_all();
  if (!end_work())
    return false;
  caf::scoped_actor self{system_};
  const auto end = [&](const auto& who) {
    if (who)
      self->send_exit(who, caf::exit_reason::kill);
  };
  end(supervisor_);
  end(admin_);
  end(native_);
  end(node_face_);
  end(passwords_);
  end(store_server_);
  end(topics_);
  end(letters_);
  end(processors_);
  end(handler_);
  end(submitter_);
  end(orders_.desk);
  end(orders_.due);
  end(auditor_);
  end(catalogue_);
  end(copier_);
  end(upkeep_.reviews);
  end(upkeep_.folders);
  end(upkeep_.locks);
  for (const auto& one : upkeep_.receiving)
    end(one);
  end_record_logs(system_, logs_);
  end_tracer(system_, tracer_);
  if (shared_)
    shared_->leave();
  depositd::engine::end_core(system_, core_);
  return true;
}

} // namespace depositd
