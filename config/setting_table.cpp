#include "config/setting_table.hpp"

namespace depositd {

namespace {

// Each of these makes a reader out of the way to a field.

template <class Field>
setting_reader number(std::uint32_t min, std::uint32_t max, Field field) {
  return [=](depositd_settings& to, const given_setting& x) {
    return read_number(x, min, max, field(to));
  };
}

template <class Field>
setting_reader flag(Field field) {
  return [=](depositd_settings& to, const given_setting& x) {
    return read_flag(x, field(to));
  };
}

template <class Field>
setting_reader text(Field field) {
  return [=](depositd_settings& to, const given_setting& x) {
    return read_text(x, field(to));
  };
}

template <class Field>
setting_reader address(Field field) {
  return [=](depositd_settings& to, const given_setting& x) {
    return read_endpoint(x, field(to));
  };
}

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

caf::error read_log_level(depositd_settings& to, const given_setting& x) {
  return read_word<std::string>(x,
                                {{"trace", "trace"},
                                 {"debug", "debug"},
                                 {"info", "info"},
                                 {"warn", "warn"},
                                 {"error", "error"}},
                                to.log.level);
}

caf::error read_prohibited(depositd_settings& to, const given_setting& x) {
  return read_names(x, to.prohibited_users);
}

using settings = depositd_settings;

} // namespace

const std::vector<setting_key>& setting_table() {
  static const std::vector<setting_key> table{
    {"data.folder", read_data_folder},
    {"store.kind", read_store_kind},
    {"store.url", text([](settings & x) -> auto& { return x.store.url; })},
    {"store.segment_mb",
     number(
       1, 1024, [](settings & x) -> auto& { return x.store.segment_mb; })},
    {"http.listen",
     address([](settings & x) -> auto& { return x.http.listen; })},
    {"http.tls.certificate",
     text([](settings & x) -> auto& { return x.http.tls.certificate; })},
    {"http.tls.key",
     text([](settings & x) -> auto& { return x.http.tls.key; })},
    {"http.connections_max", number(
                               1, 100'000, [](settings & x) -> auto& {
                                 return x.http.connections_max;
                               })},
    {"http.connections_per_address_max",
     number(
       1, 100'000, [](settings & x) -> auto& {
         return x.http.connections_per_address_max;
       })},
    {"http.idle_timeout_s",
     number(
       1, 3'600, [](settings & x) -> auto& { return x.http.idle_timeout_s; })},
    {"admin.listen",
     address([](settings & x) -> auto& { return x.admin.listen; })},
    {"node.listen",
     address([](settings & x) -> auto& { return x.node.listen; })},
    {"node.tls.certificate",
     text([](settings & x) -> auto& { return x.node.tls.certificate; })},
    {"node.tls.key",
     text([](settings & x) -> auto& { return x.node.tls.key; })},
    {"node.tls.ca", text([](settings & x) -> auto& { return x.node.tls.ca; })},
    {"processors.count",
     number(
       0, 1'024, [](settings & x) -> auto& { return x.processors.count; })},
    {"processors.inject_delay_ms", number(
                                     0, 3'600'000, [](settings & x) -> auto& {
                                       return x.processors.inject_delay_ms;
                                     })},
    {"prohibited_users", read_prohibited},
    {"emodb.anonymous",
     flag([](settings & x) -> auto& { return x.emodb.anonymous; })},
    {"drop_folder.path",
     text([](settings & x) -> auto& { return x.drop_folder.path; })},
    {"drop_folder.poll_interval_ms",
     number(
       10, 3'600'000,
       [](settings & x) -> auto& { return x.drop_folder.poll_interval_ms; })},
    {"kafka.brokers",
     text([](settings & x) -> auto& { return x.kafka.brokers; })},
    {"kafka.ingress_topic",
     text([](settings & x) -> auto& { return x.kafka.ingress_topic; })},
    {"kafka.egress_topic",
     text([](settings & x) -> auto& { return x.kafka.egress_topic; })},
    {"kafka.dead_letter_topic",
     text([](settings & x) -> auto& { return x.kafka.dead_letter_topic; })},
    {"crossref.schema_folder",
     text([](settings & x) -> auto& { return x.crossref.schema_folder; })},
    {"crossref.body_limit_mb", number(
                                 1, 1'024, [](settings & x) -> auto& {
                                   return x.crossref.body_limit_mb;
                                 })},
    {"crossref.retry_after_s", number(
                                 1, 86'400, [](settings & x) -> auto& {
                                   return x.crossref.retry_after_s;
                                 })},
    {"memory.body_budget_mb", number(
                                0, 1'048'576, [](settings & x) -> auto& {
                                  return x.memory.body_budget_mb;
                                })},
    {"retention.submissions_days", number(
                                     7, 36'500, [](settings & x) -> auto& {
                                       return x.retention.submissions_days;
                                     })},
    {"log.level", read_log_level},
    {"shutdown.drain_ms", number(
                            0, 3'600'000, [](settings & x) -> auto& {
                              return x.shutdown.drain_ms;
                            })},
  };
  return table;
}

const std::vector<queue_setting_key>& queue_setting_table() {
  using queue = queue_settings;
  static const std::vector<queue_setting_key> table{
    {"kind",
     [](queue& to, const given_setting& x) {
       auto failure = read_word<queue_kind>(
         x,
         {{"deposit", queue_kind::deposit}, {"message", queue_kind::message}},
         to.kind);
       // Everything else starts from the defaults of this kind.
       const auto kind = to.kind;
       to = kind == queue_kind::deposit ? deposit_queue_defaults() : queue{};
       return failure;
     }},
    {"allocation",
     [](queue& to, const given_setting& x) {
       return read_number(x, 0, no_cap - 1, to.allocation);
     }},
    {"concurrency",
     [](queue& to, const given_setting& x) {
       return read_cap(x, to.concurrency);
     }},
    {"pending_limit",
     [](queue& to, const given_setting& x) {
       return read_cap(x, to.pending_limit);
     }},
    {"priority_mode",
     [](queue& to, const given_setting& x) {
       return read_word<priority_mode>(
         x,
         {{"within_user", priority_mode::within_user},
          {"across_users", priority_mode::across_users}},
         to.priority);
     }},
    {"dedup",
     [](queue& to, const given_setting& x) {
       return read_word<dedup_mode>(
         x,
         {{"none", dedup_mode::none},
          {"between_polls", dedup_mode::between_polls},
          {"while_pending", dedup_mode::while_pending}},
         to.dedup);
     }},
    {"attempts_max",
     [](queue& to, const given_setting& x) {
       return read_cap(x, to.attempts_max);
     }},
    {"retry_delay_ms",
     [](queue& to, const given_setting& x) {
       return read_number(x, 0, 86'400'000, to.retry_delay_ms);
     }},
    {"retry_delay_ms_max",
     [](queue& to, const given_setting& x) {
       return read_number(x, 0, 604'800'000, to.retry_delay_ms_max);
     }},
    {"oldest_band_every",
     [](queue& to, const given_setting& x) {
       return read_number(x, 2, 1'000'000, to.oldest_band_every);
     }},
  };
  return table;
}

} // namespace depositd
