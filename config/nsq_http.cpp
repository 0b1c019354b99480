#include "config/nsq_http.hpp"

#include "adapters/doors/nsq/rights.hpp"

#include <caf/actor_cast.hpp>

#include <array>

#include <unistd.h>

namespace depositd {

namespace {

caf::error about(const char* key, const caf::error& why) {
  return caf::make_error(ec::bad_setting,
                         std::string{key} + ": " + render(why));
}

std::string host_name() {
  std::array<char, 256> out{};
  if (::gethostname(out.data(), out.size() - 1) != 0)
    return "localhost";
  return out.data();
}

/// Where clients are told to connect to: not everywhere, if that is where a
/// door listens.
std::string broadcast_address(const nsq_settings& settings) {
  if (!settings.broadcast_address.empty())
    return settings.broadcast_address;
  const auto& host =
    settings.is_open() ? settings.listen.host : settings.http.listen.host;
  return host == "0.0.0.0" || host == "::" ? host_name() : host;
}

nsq_http::door_options topics_api_options(const doors_options& options,
                                   const nsq::protocol_limits& limits,
                                   const nsq::door* clients) {
  const auto& settings = options.settings.nsq;
  nsq_http::door_options out;
  out.shard = caf::actor_cast<shard_topics_actor>(
    caf::actor_cast<caf::strong_actor_ptr>(options.shard));
  out.engine = options.shard;
  out.anonymous =
    nsq::serves_anonymous(settings.http.listen, settings.anonymous);
  out.limits = limits;
  out.health = options.nsq_health;
  out.audit = options.audit;
  out.quotas = options.quotas;
  out.makers = options.nsq_makers;
  if (clients) {
    out.consumers = [clients] { return clients->statistics({}, {}); };
    out.producers = [clients] { return clients->producers(); };
  }
  if (options.memory)
    out.memory_used = [memory = options.memory] { return memory->used(); };
  return out;
}

caf::expected<http::server_options> server_options_of(const doors_options& x) {
  const auto& settings = x.settings.nsq;
  http::server_options out;
  out.listen = settings.http.listen;
  if (settings.http.tls)
    out.tls = {settings.tls.certificate, settings.tls.key};
  out.io_threads = 1;
  out.connections_max = x.shares.nsq_http;
  out.memory = x.memory;
  auto proxies = kit::address_list::of(x.settings.http.trusted_proxies);
  if (!proxies)
    return about("http.trusted_proxies", proxies.error());
  out.trusted_proxies = std::move(*proxies);
  nsq_http::door::prepare(out);
  return out;
}

} // namespace

caf::expected<std::unique_ptr<nsq_http_api>>
nsq_http_api::open(caf::actor_system& system, const doors_options& options,
                   const nsq::protocol_limits& limits,
                   const nsq::door* clients) {
  const auto& settings = options.settings.nsq;
  std::unique_ptr<nsq_http_api> out{new nsq_http_api};
  auto door =
    nsq_http::door::open(system, topics_api_options(options, limits, clients));
  if (!door)
    return door.error();
  out->door_ = std::move(*door);
  http::router routes;
  out->door_->add_routes(routes);
  auto listening = server_options_of(options);
  if (!listening)
    return listening.error();
  auto server = http::server::start(std::move(*listening), std::move(routes));
  if (!server)
    return about("nsq.http.listen", server.error());
  out->server_ = std::move(*server);
  const nsq_lookup::announced self{
    broadcast_address(settings), host_name(), nsq::server_version,
    clients ? clients->port() : std::uint16_t{0}, out->server_->port()};
  nsq_lookup::registrar_options telling;
  telling.shard = caf::actor_cast<shard_topics_actor>(
    caf::actor_cast<caf::strong_actor_ptr>(options.shard));
  telling.self = self;
  telling.lookupds = settings.lookupd;
  auto lookupds = nsq_lookup::registrar::start(system, std::move(telling));
  if (!lookupds)
    return about("nsq.lookupd", lookupds.error());
  out->lookupds_ = std::move(*lookupds);
  out->door_->announce({self, out->lookupds_});
  return out;
}

nsq_http_api::~nsq_http_api() {
  close();
}

void nsq_http_api::close() {
  if (server_)
    server_->stop();
  if (door_)
    door_->close();
  if (lookupds_)
    lookupds_->close();
}

} // namespace depositd
