#include "config/doors.hpp"

#include "adapters/doors/accounts/worker.hpp"
#include "adapters/doors/crossref/door.hpp"
#include "adapters/doors/crossref/pages.hpp"
#include "adapters/doors/deposits/answers.hpp"
#include "adapters/doors/deposits/door.hpp"
#include "adapters/doors/drop/drop_folder.hpp"
#include "adapters/doors/emodb/door.hpp"
#include "adapters/doors/http/server.hpp"
#include "adapters/doors/kit/watched_files.hpp"
#include "adapters/doors/nsq/door.hpp"
#include "adapters/doors/poster/answers.hpp"
#include "adapters/doors/poster/door.hpp"
#include "config/handlers.hpp"
#include "config/metrics.hpp"
#include "config/nsq_clients.hpp"
#include "config/nsq_http.hpp"
#include "config/operations_port.hpp"
#include "messages/workers.hpp"

#include <caf/actor_cast.hpp>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

namespace depositd {

struct doors::parts {
  void watch(const doors_options& options);

  std::unique_ptr<emodb::door> messages; ///< outlives the server's threads
  std::unique_ptr<nsq::door> topics;     ///< null while it is closed
  std::unique_ptr<nsq_http_api> api;     ///< of topics; null while it is closed
  std::chrono::milliseconds topics_drain{0};
  std::unique_ptr<http::server> open_to_all;
  std::unique_ptr<operations_port> operations;
  std::shared_ptr<door_counts> counts = std::make_shared<door_counts>();
  std::shared_ptr<nsq_clients> clients = std::make_shared<nsq_clients>();
  crossref::door_actor deposits;
  poster::door_actor batches;
  deposits::door_actor depositors; ///< their page
  accounts::worker_actor logins;
  accounts::worker_actor blobs;
  drop::drop_folder_actor drops; ///< null without a drop folder
  std::vector<kit::watched_files> certificates;
};

namespace {

/// librdkafka has read them at the start, and reads them no more.
caf::error keep_kafka_files() {
  return caf::make_error(ec::bad_setting,
                         std::string{"they are read at the start alone: "
                                     "restart the engine to use others"});
}

} // namespace

/// Certificates that these doors use, and those that nobody else watches.
void doors::parts::watch(const doors_options& options) {
  const auto& settings = options.settings;
  const auto& own = settings.http.tls;
  certificates.emplace_back("http", std::vector{own.certificate, own.key},
                            [this] { return open_to_all->reload(); });
  const auto& admin = settings.admin.tls;
  certificates.emplace_back("admin", std::vector{admin.certificate, admin.key},
                            [this] { return operations->server().reload(); });
  const auto& tls = settings.nsq.tls;
  if (topics)
    certificates.emplace_back("nsq",
                              std::vector{tls.certificate, tls.key, tls.ca},
                              [this] { return topics->reload(); });
  if (api && settings.nsq.http.tls)
    certificates.emplace_back("nsq_http", std::vector{tls.certificate, tls.key},
                              [this] { return api->reload(); });
  const auto& kafka = settings.kafka.tls;
  certificates.emplace_back(
    "kafka", std::vector{kafka.certificate, kafka.key, kafka.ca},
    keep_kafka_files);
  for (const auto& x : certificates)
    counts->add(x.life());
  if (options.node_certificate)
    counts->add(options.node_certificate);
}

namespace {

caf::error name_key(const char* key, const caf::error& why) {
  return caf::make_error(ec::bad_setting,
                         std::string{key} + ": " + render(why));
}

http::server_options public_options(const http_settings& settings,
                                    const descriptor_shares& shares) {
  http::server_options out;
  out.listen = settings.listen;
  out.tls = {settings.tls.certificate, settings.tls.key};
  out.io_threads = 1; // the engine's other threads need the second core
  out.connections_max = shares.http;
  out.connections_per_address_max = settings.connections_per_address_max;
  out.idle_limit = std::chrono::seconds{settings.idle_timeout_s};
  return out;
}

/// Apart, so that guessed passwords never hold up posts.
constexpr std::size_t login_threads = 2; // 19 MiB and a core each while busy
constexpr std::size_t blob_threads = 4;  // these wait for the disk

crossref::door_options deposit_options(const doors_options& options) {
  const auto& settings = options.settings.crossref;
  crossref::door_options out;
  out.shard = options.shard;
  out.projector = options.projector;
  out.handler = options.handler;
  out.at_work_max = synchronous_threads;
  out.body_bytes_max = std::size_t{settings.body_limit_mb} << 20;
  out.retry_after_s = settings.retry_after_s;
  out.newest_first = settings.newest_first;
  return out;
}

poster::door_options batch_options(const doors_options& options) {
  const auto& settings = options.settings;
  poster::door_options out;
  out.shard = options.shard;
  out.projector = options.projector;
  out.orders = options.orders;
  out.body_bytes_max = std::size_t{settings.poster.body_limit_mb} << 20;
  out.retry_after_s = settings.crossref.retry_after_s;
  out.audit = options.audit;
  return out;
}

deposits::door_options page_options(const doors_options& options) {
  const auto& settings = options.settings.crossref;
  deposits::door_options out;
  out.shard = options.shard;
  out.projector = options.projector;
  out.places = options.admin;
  out.check_manifest = poster::check_manifest;
  out.body_bytes_max = std::size_t{settings.body_limit_mb} << 20;
  out.retry_after_s = settings.retry_after_s;
  return out;
}

emodb::door_options message_options(const doors_options& options) {
  const auto& settings = options.settings.emodb;
  emodb::door_options out;
  out.shard = options.shard;
  out.projector = options.projector;
  out.blobs = options.durable.blobs;
  out.anonymous = settings.anonymous;
  out.message_bytes_max = settings.message_bytes_max;
  out.claims_max = settings.claims_max;
  out.requests_per_second = settings.requests_per_second;
  out.wait_max = std::chrono::seconds{settings.wait_max_s};
  out.audit = options.audit;
  out.quotas = options.quotas;
  out.body_bytes_max = std::size_t{settings.body_limit_mb} << 20;
  return out;
}

nsq::protocol_limits topic_limits(const nsq_settings& settings) {
  using ms = std::chrono::milliseconds;
  const auto& from = settings.limits;
  nsq::protocol_limits out;
  out.message_bytes_max = from.message_bytes_max;
  out.body_bytes_max = from.body_bytes_max;
  out.rdy_max = from.rdy_max;
  out.msg_timeout = ms{from.msg_timeout_ms};
  out.msg_timeout_max = ms{from.msg_timeout_ms_max};
  out.req_timeout_max = ms{from.req_timeout_ms_max};
  out.heartbeat_max = ms{from.heartbeat_ms_max};
  out.heartbeat = std::min(out.heartbeat, out.heartbeat_max);
  out.output_buffer_max = from.output_buffer_max;
  out.output_timeout_max = ms{from.output_timeout_ms_max};
  out.snappy = settings.snappy;
  out.deflate = settings.deflate;
  out.deflate_level_max = static_cast<int>(from.deflate_level_max);
  out.channel_consumers_max = from.channel_consumers_max;
  return out;
}

nsq::door_options topic_options(caf::actor_system& system,
                                const doors_options& options) {
  const auto& settings = options.settings.nsq;
  nsq::door_options out;
  out.shard = caf::actor_cast<shard_topics_actor>(
    caf::actor_cast<caf::strong_actor_ptr>(options.shard));
  out.engine = options.shard;
  out.listen = settings.listen;
  out.tls = {settings.tls.certificate, settings.tls.key};
  out.tls_ca = settings.tls.ca;
  out.tls_required = settings.tls.required;
  out.limits = topic_limits(settings);
  out.arrivals.connections_max = options.shares.nsq;
  out.arrivals.connections_per_address_max =
    settings.limits.connections_per_address_max;
  out.arrivals.unfinished_max = options.shares.nsq_unfinished;
  out.arrivals.unfinished_per_address_max =
    settings.limits.unfinished_per_address_max;
  out.io_threads = settings.io_threads;
  if (settings.io_threads == 1 && settings.tls.certificate.empty())
    out.loops = kit::loops_of(system);
  out.anonymous = settings.anonymous;
  if (settings.user_is_client)
    out.user = nsq::anonymous_user_is::client_id;
  out.auth_http_address = settings.auth.http_address;
  out.backlog_bytes_max = std::size_t{settings.limits.backlog_mb} << 20;
  out.memory = options.memory;
  out.health = options.nsq_health;
  out.quotas = options.quotas;
  out.makers = options.nsq_makers;
  return out;
}

/// Null while it is closed.
caf::expected<std::unique_ptr<nsq::door>>
open_topics(caf::actor_system& system, const doors_options& options) {
  if (!options.settings.nsq.is_open())
    return std::unique_ptr<nsq::door>{};
  auto out = nsq::door::open(system, topic_options(system, options));
  if (!out)
    return name_key("nsq.listen", out.error());
  return out;
}

/// As the door says it that the request was for.
http::response say_refusal(const http::request& what, unsigned status,
                           const std::string& text) {
  for (const auto says :
       {crossref::refused_by_server, deposits::refused_by_server,
        poster::refused_by_server})
    if (auto own = says(what, status, text))
      return std::move(*own);
  return http::refusal(status, text);
}

/// For consumers to finish what they have, before the engine itself drains.
std::chrono::milliseconds topics_drain_of(const depositd_settings& settings) {
  constexpr std::chrono::milliseconds most{3'000};
  return std::min(most, std::chrono::milliseconds{settings.shutdown.drain_ms});
}

drop::drop_folder_actor open_drop_folder(caf::actor_system& system,
                                         const doors_options& options) {
  const auto& settings = options.settings.drop_folder;
  if (settings.path.empty())
    return {};
  drop::drop_folder_options out;
  out.path = settings.path;
  out.scan_interval = std::chrono::milliseconds{settings.poll_interval_ms};
  out.shard = options.shard;
  out.projector = options.projector;
  out.blobs = options.durable.blobs;
  return system.spawn<caf::detached>(drop::drop_folder, std::move(out));
}

} // namespace

doors::doors(std::unique_ptr<parts> x) : parts_(std::move(x)) {
  // nop
}

doors::~doors() {
  close();
}

caf::expected<std::unique_ptr<doors>> doors::open(caf::actor_system& system,
                                                  doors_options options) {
  auto x = std::make_unique<parts>();
  auto operations =
    operations_port::open(system, options, x->counts, x->clients);
  if (!operations)
    return name_key("admin.listen", operations.error());
  x->operations = std::move(*operations);
  const auto spawn_worker = [&system, blobs = options.durable.blobs] {
    return system.spawn<caf::detached>(accounts::worker, blobs);
  };
  x->logins = workers<accounts::worker_actor>(system, {.count = login_threads},
                                              spawn_worker);
  x->blobs = workers<accounts::worker_actor>(system, {.count = blob_threads},
                                             spawn_worker);
  const auto with_shared = [&](auto out) {
    out.logins = x->logins;
    out.blobs = x->blobs;
    out.quotas = options.quotas;
    return out;
  };
  const auto deposits = with_shared(deposit_options(options));
  x->deposits = system.spawn(crossref::door, deposits);
  http::router routes;
  crossref::add_door_routes(routes, x->deposits, deposits);
  const auto batches = with_shared(batch_options(options));
  x->batches = system.spawn(poster::door, batches);
  poster::add_door_routes(routes, x->batches, batches);
  const auto page = with_shared(page_options(options));
  x->depositors = system.spawn(deposits::door, page);
  deposits::add_door_routes(routes, x->depositors, page);
  auto messages = emodb::door::open(system, message_options(options));
  if (!messages)
    return messages.error();
  x->messages = std::move(*messages);
  x->messages->add_routes(routes);
  auto serving = public_options(options.settings.http, options.shares);
  auto proxies = kit::address_list::of(options.settings.http.trusted_proxies);
  if (!proxies)
    return name_key("http.trusted_proxies", proxies.error());
  serving.trusted_proxies = std::move(*proxies);
  serving.memory = options.memory;
  serving.refuse = say_refusal;
  // Handshakes would hold up the actors.
  if (options.settings.http.tls.certificate.empty())
    serving.loops = kit::loops_of(system);
  serving.after_round = [door = x->messages.get()] { door->end_round(); };
  auto open_to_all = http::server::start(std::move(serving), std::move(routes));
  if (!open_to_all)
    return name_key("http.listen", open_to_all.error());
  x->open_to_all = std::move(*open_to_all);
  x->counts->add("http", *x->open_to_all);
  auto topics = open_topics(system, options);
  if (!topics)
    return topics.error();
  x->topics = std::move(*topics);
  x->clients->set(x->topics.get());
  x->topics_drain = topics_drain_of(options.settings);
  if (options.settings.nsq.http.is_open()) {
    auto api = nsq_http_api::open(
      system, options, topic_limits(options.settings.nsq), x->topics.get());
    if (!api)
      return api.error();
    x->api = std::move(*api);
  }
  x->drops = open_drop_folder(system, options);
  x->watch(options);
  return std::unique_ptr<doors>{new doors(std::move(x))};
}

const std::string& doors::http_address() const {
  return parts_->open_to_all->address();
}

const std::string& doors::admin_address() const {
  return parts_->operations->server().address();
}

std::string doors::nsq_address() const {
  return parts_->topics ? parts_->topics->address() : std::string{};
}

std::string doors::nsq_http_address() const {
  return parts_->api ? parts_->api->address() : std::string{};
}

void doors::reload(bool changed_only) {
  for (auto& x : parts_->certificates)
    if (changed_only)
      x.look();
    else
      x.read();
}

void doors::close() {
  // Those who look whether we live may look until the end.
  if (parts_->open_to_all)
    parts_->open_to_all->stop();
  if (parts_->operations)
    parts_->operations->stop();
  for (const auto& pool : {parts_->logins, parts_->blobs})
    caf::anon_send_exit(pool, caf::exit_reason::kill);
  if (parts_->api)
    parts_->api->close();
  parts_->clients->set(nullptr);
  if (parts_->topics) {
    parts_->topics->drain(std::exchange(parts_->topics_drain, {}));
    parts_->topics->close();
  }
  if (parts_->messages)
    parts_->messages->close();
  if (parts_->deposits)
    caf::anon_send_exit(parts_->deposits, caf::exit_reason::kill);
  if (parts_->drops)
    caf::anon_send_exit(parts_->drops, caf::exit_reason::kill);
  if (parts_->batches)
    caf::anon_send_exit(parts_->batches, caf::exit_reason::kill);
  if (parts_->depositors)
    caf::anon_send_exit(parts_->depositors, caf::exit_reason::kill);
  // What counts is asked by who tells of it.
  parts_->counts->clear();
  if (parts_->operations)
    parts_->operations->close();
  parts_->open_to_all.reset();
  parts_->operations.reset();
}

} // namespace depositd
