#include "config/nsq_keys.hpp"

#include "config/setting_fields.hpp"
#include "messages/values/names.hpp"

#include <fstream>
#include <utility>

namespace depositd {

namespace {

using setting_fields::field;
using setting_fields::number;
using setting_fields::text;
using settings = depositd_settings;

constexpr std::uint32_t hour_ms = 3'600'000;

constexpr std::size_t lookupds_max = 100;

/// HOST:PORT, or nothing: the door is closed.
caf::error read_listen(const given_setting& x, endpoint& out) {
  std::string text;
  if (auto failure = read_text(x, text))
    return failure;
  if (!text.empty())
    return read_endpoint(x, out);
  out = {};
  return caf::none;
}

caf::error read_lookupds(settings& to, const given_setting& x) {
  return read_endpoints(x, lookupds_max, to.nsq.lookupd);
}

caf::error read_user(settings& to, const given_setting& x) {
  return read_word<bool>(x, {{"address", false}, {"client_id", true}},
                         to.nsq.user_is_client);
}

std::vector<setting_key> limit_keys() {
  using nsq = nsq_settings;
  using limits = nsq_limits_settings;
  const auto of = [](std::uint32_t min, std::uint32_t max, auto member) {
    return number(min, max, &settings::nsq, &nsq::limits, member);
  };
  return {
    {"nsq.limits.connections_max", of(1, 100'000, &limits::connections_max)},
    {"nsq.limits.connections_per_address_max",
     of(1, 100'000, &limits::connections_per_address_max)},
    {"nsq.limits.unfinished_max", of(1, 100'000, &limits::unfinished_max)},
    {"nsq.limits.unfinished_per_address_max",
     of(1, 100'000, &limits::unfinished_per_address_max)},
    {"nsq.limits.message_bytes_max",
     of(1, 16 << 20, &limits::message_bytes_max)},
    {"nsq.limits.body_bytes_max", of(9, 64 << 20, &limits::body_bytes_max)},
    {"nsq.limits.rdy_max", of(1, 10'000, &limits::rdy_max)},
    {"nsq.limits.msg_timeout_ms", of(1, 24 * hour_ms, &limits::msg_timeout_ms)},
    {"nsq.limits.msg_timeout_ms_max",
     of(1, 24 * hour_ms, &limits::msg_timeout_ms_max)},
    {"nsq.limits.req_timeout_ms_max",
     of(0, 1'000 * hour_ms, &limits::req_timeout_ms_max)},
    {"nsq.limits.heartbeat_ms_max",
     of(1'000, hour_ms, &limits::heartbeat_ms_max)},
    {"nsq.limits.output_buffer_max",
     of(64, 1 << 20, &limits::output_buffer_max)},
    {"nsq.limits.output_timeout_ms_max",
     of(25, hour_ms, &limits::output_timeout_ms_max)},
    {"nsq.limits.deflate_level_max", of(1, 9, &limits::deflate_level_max)},
    {"nsq.limits.channel_consumers_max",
     of(0, 1'000'000, &limits::channel_consumers_max)},
    {"nsq.limits.backlog_mb", of(1, 1'024, &limits::backlog_mb)},
    {"nsq.limits.made_per_user_max",
     of(0, 1'000'000, &limits::made_per_user_max)},
  };
}

} // namespace

std::vector<setting_key> nsq_keys() {
  using nsq = nsq_settings;
  using tls = nsq_tls_settings;
  std::vector<setting_key> out{
    {"nsq.listen", field(read_listen, &settings::nsq, &nsq::listen)},
    {"nsq.http.listen", field(read_listen, &settings::nsq, &nsq::http,
                              &nsq_http_settings::listen)},
    {"nsq.http.tls",
     field(read_flag, &settings::nsq, &nsq::http, &nsq_http_settings::tls)},
    {"nsq.lookupd", read_lookupds},
    {"nsq.broadcast_address", text(&settings::nsq, &nsq::broadcast_address)},
    {"nsq.io_threads", number(1, 64, &settings::nsq, &nsq::io_threads)},
    {"nsq.anonymous", field(read_flag, &settings::nsq, &nsq::anonymous)},
    {"nsq.user", read_user},
    {"nsq.snappy", field(read_flag, &settings::nsq, &nsq::snappy)},
    {"nsq.deflate", field(read_flag, &settings::nsq, &nsq::deflate)},
    {"nsq.tls.certificate", text(&settings::nsq, &nsq::tls, &tls::certificate)},
    {"nsq.tls.key", text(&settings::nsq, &nsq::tls, &tls::key)},
    {"nsq.tls.ca", text(&settings::nsq, &nsq::tls, &tls::ca)},
    {"nsq.tls.required",
     field(read_flag, &settings::nsq, &nsq::tls, &tls::required)},
    {"nsq.auth.http_address",
     text(&settings::nsq, &nsq::auth, &nsq_auth_settings::http_address)},
  };
  for (auto& x : limit_keys())
    out.push_back(std::move(x));
  return out;
}

setting_fault check_nsq(const depositd_settings& x) {
  const auto& tls = x.nsq.tls;
  const auto& limits = x.nsq.limits;
  if (tls.certificate.empty() != tls.key.empty())
    return {tls.key.empty() ? "nsq.tls.key" : "nsq.tls.certificate",
            "is needed too for TLS"};
  for (const auto& [key, file] :
       {std::pair{"nsq.tls.certificate", tls.certificate},
        std::pair{"nsq.tls.key", tls.key}, std::pair{"nsq.tls.ca", tls.ca}})
    if (!file.empty() && !std::ifstream{file})
      return {key, "cannot read \"" + file + "\""};
  if (tls.certificate.empty() && (tls.required || !tls.ca.empty()))
    return {tls.required ? "nsq.tls.required" : "nsq.tls.ca",
            "needs nsq.tls.certificate and nsq.tls.key"};
  const auto& http = x.nsq.http;
  if (tls.required && http.is_open() && !http.tls)
    return {"nsq.http.tls", "must be true where nsq.tls.required is"};
  if (!x.nsq.lookupd.empty() && !(x.nsq.is_open() && http.is_open()))
    return {"nsq.lookupd", "needs nsq.listen and nsq.http.listen"};
  if (x.nsq.broadcast_address.find_first_of(" \t/") != std::string::npos)
    return {"nsq.broadcast_address", "must be a host's name or address"};
  const auto& asked = x.nsq.auth.http_address;
  const bool is_url = asked.find("://") != std::string::npos;
  if (!asked.empty() && !legal_web_address(is_url ? asked : "http://" + asked))
    return {"nsq.auth.http_address",
            "must be HOST:PORT or an address of http or https"};
  if (limits.msg_timeout_ms > limits.msg_timeout_ms_max)
    return {"nsq.limits.msg_timeout_ms",
            "is more than msg_timeout_ms_max, "
              + std::to_string(limits.msg_timeout_ms_max)};
  return {};
}

} // namespace depositd
