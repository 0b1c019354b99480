#include "config/operations_port.hpp"

#include "adapters/doors/operations/api_answers.hpp"
#include "adapters/doors/operations/page.hpp"
#include "config/version.hpp"

#include <caf/send.hpp>

#include <algorithm>
#include <chrono>
#include <utility>

namespace depositd {

namespace {

http::server_options serving(const doors_options& options) {
  const auto& settings = options.settings.admin;
  const auto& shares = options.shares;
  http::server_options out;
  // Guesses count by address here, too. What is wrong with the list is said
  // where the other door takes it.
  if (auto proxies =
        kit::address_list::of(options.settings.http.trusted_proxies))
    out.trusted_proxies = std::move(*proxies);
  out.listen = settings.listen;
  out.tls = {settings.tls.certificate, settings.tls.key};
  out.io_threads = 1;
  out.connections_max = shares.admin;
  // Apart from the others' memory: whoever looks what is wrong gets in.
  out.bodies_bytes_max = std::size_t{128} << 20;
  out.refuse = api_refusal_of_server;
  return out;
}

} // namespace

void operations_port::spawn(caf::actor_system& system,
                            const doors_options& options,
                            const std::shared_ptr<door_counts>& counts,
                            const std::shared_ptr<nsq_clients>& clients) {
  health_ =
    system.spawn(health, options.shard, options.projector, options.kafka_waits);
  auto measured = options.metrics;
  measured.doors = [counts] { return counts->all(); };
  measured.certificates = [counts] { return counts->certificates(); };
  metrics_ = system.spawn(metrics_door, std::move(measured));
  watcher_ = system.spawn(watcher, options.admin);
  api_options api;
  api.admin = options.admin;
  api.watcher = watcher_;
  api.session_age_max =
    std::chrono::hours{options.settings.admin.session_hours};
  // Half of the connections are for others.
  api.streams_max =
    std::min<std::size_t>(api.streams_max, options.shares.admin / 2);
  api.history = [to = metrics_](std::shared_ptr<http::responder> answer) {
    caf::anon_send(to, tell_history{std::move(answer)});
  };
  api.metrics = [to = metrics_](std::shared_ptr<http::responder> answer) {
    caf::anon_send(to, tell_metrics{std::move(answer)});
  };
  api.nsq_clients = [clients] { return clients->document(); };
  api.version = version_text;
  api_ = system.spawn(api_door, std::move(api));
}

caf::expected<std::unique_ptr<operations_port>>
operations_port::open(caf::actor_system& system, const doors_options& options,
                      const std::shared_ptr<door_counts>& counts,
                      const std::shared_ptr<nsq_clients>& clients) {
  std::unique_ptr<operations_port> out{new operations_port};
  out->spawn(system, options, counts, clients);
  const auto& settings = options.settings.admin;
  const bool on_loopback = is_loopback(settings.listen);
  http::router routes;
  add_health_routes(routes, out->health_);
  // Elsewhere those who have logged in get them: they name users.
  if (on_loopback)
    add_metrics_routes(routes, out->metrics_);
  add_api_routes(routes, out->api_, on_loopback);
  add_page_routes(routes);
  auto server =
    http::server::start(serving(options), std::move(routes));
  if (!server) {
    out->close();
    return server.error();
  }
  out->server_ = std::move(*server);
  counts->add("admin", *out->server_);
  return out;
}

void operations_port::close() {
  const auto end = [](const auto& who) {
    if (who)
      caf::anon_send_exit(who, caf::exit_reason::kill);
  };
  end(health_);
  end(metrics_);
  end(watcher_);
  end(api_);
  server_.reset();
}

} // namespace depositd
