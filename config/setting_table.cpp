#include "config/setting_table.hpp"

#include "config/aptrust_settings.hpp"
#include "config/nsq_keys.hpp"
#include "config/order_settings.hpp"
#include "config/s3_settings.hpp"
#include "config/setting_fields.hpp"
#include "config/work_settings.hpp"
#include "messages/values/sharding.hpp"

namespace depositd {

namespace {

using setting_fields::field;
using setting_fields::number;
using setting_fields::text;

caf::error read_data_folder(depositd_settings& to, const given_setting& x) {
  std::string folder;
  if (auto failure = read_text(x, folder))
    return failure;
  if (folder.empty())
    return bad_setting("must name a folder");
  to.data.folder = folder;
  return caf::none;
}

caf::error read_store_kind(depositd_settings& to, const given_setting& x) {
  return read_word<store_kind>(x,
                               {{"embedded", store_kind::embedded},
                                {"postgres", store_kind::postgres},
                                {"memory", store_kind::memory}},
                               to.store.kind);
}

/// Of `blobs`; there is a place for S3 in it.
std::vector<setting_key> blobs_keys() {
  using settings = depositd_settings;
  std::vector<setting_key> out{
    {"blobs.kind",
     [](settings& to, const given_setting& x) {
       return read_word<blobs_kind>(x,
                                    {{"store", blobs_kind::as_store},
                                     {"folder", blobs_kind::folder},
                                     {"postgres", blobs_kind::postgres},
                                     {"s3", blobs_kind::s3}},
                                    to.blobs.kind);
     }},
    {"blobs.path", text(&settings::blobs, &blobs_settings::path)}};
  add_s3_keys(&blobs_settings::s3, [&](const char* name, auto read) {
    out.push_back({std::string{"blobs."} + name,
                   [read](settings& to, const given_setting& x) {
                     return read(to.blobs, x);
                   }});
  });
  return out;
}

caf::error read_log_level(depositd_settings& to, const given_setting& x) {
  return read_word<std::string>(x,
                                {{"trace", "trace"},
                                 {"debug", "debug"},
                                 {"info", "info"},
                                 {"warn", "warn"},
                                 {"error", "error"}},
                                to.log.level);
}

caf::error read_log_format(depositd_settings& to, const given_setting& x) {
  return read_word<std::string>(x, {{"text", "text"}, {"json", "json"}},
                                to.log.format);
}

caf::error read_processors_count(depositd_settings& to,
                                 const given_setting& x) {
  to.processors.count_given = true;
  return read_number(x, 0, 1'024, to.processors.count);
}

caf::error read_kafka_options(depositd_settings& to, const given_setting& x) {
  std::vector<std::string> options;
  if (auto failure = read_names(x, options))
    return failure;
  for (const auto& option : options)
    if (option.find('=') == std::string::npos || option.front() == '=')
      return bad_setting("must be a list of NAME=VALUE");
  to.kafka.options = std::move(options);
  return caf::none;
}

using settings = depositd_settings;

/// Where things are kept and how the engine is reached.
std::vector<setting_key> outer_keys() {
  using http = http_settings;
  using node = node_settings;
  using tls = tls_settings;
  return {
    {"data.folder", read_data_folder},
    {"store.kind", read_store_kind},
    {"store.url", text(&settings::store, &store_settings::url)},
    {"store.url_file", text(&settings::store, &store_settings::url_file)},
    {"store.password_file",
     text(&settings::store, &store_settings::password_file)},
    {"store.segment_mb",
     number(1, 1'024, &settings::store, &store_settings::segment_mb)},
    {"shards.count",
     number(1, shards_max, &settings::shards, &shard_settings::count)},
    {"shards.lease_ms",
     number(500, 600'000, &settings::shards, &shard_settings::lease_ms)},
    {"http.listen", field(read_endpoint, &settings::http, &http::listen)},
    {"http.tls.certificate",
     text(&settings::http, &http::tls, &tls::certificate)},
    {"http.tls.key", text(&settings::http, &http::tls, &tls::key)},
    {"http.connections_max",
     number(1, 100'000, &settings::http, &http::connections_max)},
    {"http.connections_per_address_max",
     number(1, 100'000, &settings::http, &http::connections_per_address_max)},
    {"http.trusted_proxies",
     field(read_names, &settings::http, &http::trusted_proxies)},
    {"http.idle_timeout_s",
     number(1, 3'600, &settings::http, &http::idle_timeout_s)},
    {"admin.listen",
     field(read_endpoint, &settings::admin, &admin_settings::listen)},
    {"admin.tls.certificate",
     text(&settings::admin, &admin_settings::tls, &tls::certificate)},
    {"admin.tls.key", text(&settings::admin, &admin_settings::tls, &tls::key)},
    {"admin.session_hours",
     number(1, 720, &settings::admin, &admin_settings::session_hours)},
    {"node.listen", field(read_endpoint, &settings::node, &node::listen)},
    {"node.advertise", text(&settings::node, &node::advertise)},
    {"node.name", text(&settings::node, &node::name)},
    {"node.tls.certificate",
     text(&settings::node, &node::tls, &tls::certificate)},
    {"node.tls.key", text(&settings::node, &node::tls, &tls::key)},
    {"node.tls.ca", text(&settings::node, &node::tls, &tls::ca)},
    {"operators.administrators", field(read_names, &settings::operators,
                                       &operators_settings::administrators)},
  };
}

std::vector<setting_key> node_limit_keys() {
  using node = node_settings;
  using limits = node_limits_settings;
  const auto of = [](std::uint32_t max, auto member) {
    return number(1, max, &settings::node, &node::limits, member);
  };
  return {
    {"node.limits.connections_max", of(100'000, &limits::connections_max)},
    {"node.limits.connections_per_address_max",
     of(100'000, &limits::connections_per_address_max)},
    {"node.limits.unfinished_max", of(100'000, &limits::unfinished_max)},
    {"node.limits.unfinished_per_address_max",
     of(100'000, &limits::unfinished_per_address_max)},
    {"node.limits.handshake_s", of(600, &limits::handshake_s)},
  };
}

/// What the engine does and how much of it.
std::vector<setting_key> inner_keys() {
  using processors = processor_settings;
  using drop = drop_folder_settings;
  using crossref = crossref_settings;
  using emodb = emodb_settings;
  return {
    {"processors.count", read_processors_count},
    {"processors.inject_delay_ms",
     number(0, 3'600'000, &settings::processors, &processors::inject_delay_ms)},
    {"processors.least_ms",
     number(0, 60'000, &settings::processors, &processors::least_ms)},
    {"prohibited_users", field(read_names, &settings::prohibited_users)},
    {"emodb.anonymous", field(read_flag, &settings::emodb, &emodb::anonymous)},
    {"emodb.message_bytes_max",
     number(1, inline_body_bytes_max, &settings::emodb,
            &emodb::message_bytes_max)},
    {"emodb.claims_max",
     number(1, 10'000'000, &settings::emodb, &emodb::claims_max)},
    {"emodb.requests_per_second",
     number(0, 10'000'000, &settings::emodb, &emodb::requests_per_second)},
    {"emodb.body_limit_mb",
     number(1, 1'024, &settings::emodb, &emodb::body_limit_mb)},
    {"emodb.queues_per_key_max",
     field(read_cap, &settings::emodb, &emodb::queues_per_key_max)},
    {"emodb.queue_idle_days",
     number(0, 36'500, &settings::emodb, &emodb::queue_idle_days)},
    {"emodb.wait_max_s",
     number(0, 3'600, &settings::emodb, &emodb::wait_max_s)},
    {"drop_folder.path", text(&settings::drop_folder, &drop::path)},
    {"drop_folder.poll_interval_ms",
     number(10, 3'600'000, &settings::drop_folder, &drop::poll_interval_ms)},
    {"crossref.schema_folder",
     text(&settings::crossref, &crossref::schema_folder)},
    {"crossref.body_limit_mb",
     number(1, 512, &settings::crossref, &crossref::body_limit_mb)},
    {"crossref.retry_after_s",
     number(1, 86'400, &settings::crossref, &crossref::retry_after_s)},
    {"crossref.newest_first",
     field(read_flag, &settings::crossref, &crossref::newest_first)},
    {"crossref.public_url", text(&settings::crossref, &crossref::public_url)},
    {"poster.body_limit_mb",
     number(1, 1'024, &settings::poster, &poster_settings::body_limit_mb)},
    {"memory.budget_mb",
     number(0, 1'048'576, &settings::memory, &memory_settings::budget_mb)},
    {"memory.body_budget_mb",
     number(0, 1'048'576, &settings::memory, &memory_settings::body_budget_mb)},
    {"retention.submissions_days",
     number(7, 36'500, &settings::retention,
            &retention_settings::submissions_days)},
    {"log.level", read_log_level},
    {"log.format", read_log_format},
    {"trace.endpoint", text(&settings::trace, &trace_settings::endpoint)},
    {"trace.ca", text(&settings::trace, &trace_settings::ca)},
    {"audit.file", text(&settings::audit, &audit_settings::file)},
    {"audit.retention_days",
     number(1, 36'500, &settings::audit, &audit_settings::retention_days)},
    {"shutdown.drain_ms",
     number(0, 3'600'000, &settings::shutdown, &shutdown_settings::drain_ms)},
    {"threads.one_loop",
     field(read_flag, &settings::threads, &thread_settings::one_loop)},
  };
}

/// Where deposits come from and outcomes go to.
std::vector<setting_key> kafka_keys() {
  using kafka = kafka_settings;
  using tls = tls_settings;
  using sasl = sasl_settings;
  return {
    {"kafka.brokers", text(&settings::kafka, &kafka::brokers)},
    {"kafka.ingress_topic", text(&settings::kafka, &kafka::ingress_topic)},
    {"kafka.egress_topic", text(&settings::kafka, &kafka::egress_topic)},
    {"kafka.dead_letter_topic",
     text(&settings::kafka, &kafka::dead_letter_topic)},
    {"kafka.jobs_topic", text(&settings::kafka, &kafka::jobs_topic)},
    {"kafka.partitions",
     number(1, 1'000, &settings::kafka, &kafka::partitions)},
    {"kafka.renew", field(read_flag, &settings::kafka, &kafka::renew)},
    {"kafka.tls.ca", text(&settings::kafka, &kafka::tls, &tls::ca)},
    {"kafka.tls.certificate",
     text(&settings::kafka, &kafka::tls, &tls::certificate)},
    {"kafka.tls.key", text(&settings::kafka, &kafka::tls, &tls::key)},
    {"kafka.tls.key_password_file",
     text(&settings::kafka, &kafka::key_password_file)},
    {"kafka.sasl.mechanism",
     text(&settings::kafka, &kafka::sasl, &sasl::mechanism)},
    {"kafka.sasl.user", text(&settings::kafka, &kafka::sasl, &sasl::user)},
    {"kafka.sasl.password_file",
     text(&settings::kafka, &kafka::sasl, &sasl::password_file)},
    {"kafka.options", read_kafka_options},
  };
}

} // namespace

const std::vector<setting_key>& setting_table() {
  static const auto table = [] {
    auto out = outer_keys();
    for (const auto& more :
         {node_limit_keys(), inner_keys(), kafka_keys(), work_keys(),
          blobs_keys(), nsq_keys(), aptrust_keys(), order_keys()})
      out.insert(out.end(), more.begin(), more.end());
    return out;
  }();
  return table;
}

const std::vector<queue_setting_key>& queue_setting_table() {
  using queue = queue_settings;
  static const std::vector<queue_setting_key> table{
    {"kind",
     [](queue& to, const given_setting& x) {
       auto failure = read_word(x, to.kind);
       if (!failure && to.kind == queue_kind::stage)
         failure = bad_setting("must be message or deposit (queues of stages "
                               "come with pipelines.folder)");
       // Everything else starts from the defaults of this kind.
       const auto kind = to.kind;
       to = kind == queue_kind::deposit  ? deposit_queue_defaults()
            : kind == queue_kind::outbox ? outbox_queue_defaults()
                                         : queue{};
       return failure;
     }},
    {"allocation", number(0, no_cap - 1, &queue::allocation)},
    {"concurrency", field(read_cap, &queue::concurrency)},
    {"pending_limit", field(read_cap, &queue::pending_limit)},
    {"priority_mode", field(read_word<priority_mode>, &queue::priority)},
    {"dedup", field(read_word<dedup_mode>, &queue::dedup)},
    {"attempts_max", field(read_cap, &queue::attempts_max)},
    {"retry_delay_ms", number(0, 86'400'000, &queue::retry_delay_ms)},
    {"retry_delay_ms_max", number(0, 604'800'000, &queue::retry_delay_ms_max)},
    {"oldest_band_every", number(2, 1'000'000, &queue::oldest_band_every)},
  };
  return table;
}

} // namespace depositd
