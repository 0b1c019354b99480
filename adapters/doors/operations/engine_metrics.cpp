// What is exported of shards, logs of records, processors, leases, doors and
// the process.

#include "adapters/doors/operations/exported.hpp"

#include <algorithm>
#include <map>

namespace depositd {

namespace metrics {

namespace {

labels shard_label(std::uint32_t number) {
  return {{"shard", std::to_string(number)}};
}

void add_shards(exported& to, const engine_numbers& x) {
  to.gauge("depositd_shard_epoch", "Epoch of a shard that this engine has");
  for (const auto& shard : x.shards)
    to.add(shard_label(shard.shard), shard.epoch);
  to.gauge("depositd_shard_serving", "0 while a shard recovers");
  for (const auto& shard : x.shards)
    to.add(shard_label(shard.shard), shard.serving ? 1.0 : 0.0);
  to.gauge("depositd_users_active", "Users who have an actor");
  for (const auto& shard : x.shards)
    to.add(shard_label(shard.shard), shard.users);
  to.gauge("depositd_journal_backlog_bytes", "What waits for the journal");
  for (const auto& shard : x.shards)
    to.add(shard_label(shard.shard), shard.backlog_bytes);
  const auto each = [&](append_count which) {
    for (const auto& shard : x.shards)
      to.add(shard_label(shard.shard), shard.appends.n[which]);
  };
  to.counter("depositd_journal_groups_total", "Groups written to the journal");
  each(count_groups);
  to.counter("depositd_journal_events_total", "Events in these groups");
  each(count_events);
  to.counter("depositd_journal_written_bytes_total", "Bytes of these groups");
  each(count_bytes);
  to.histogram("depositd_journal_commit_seconds",
               "How long groups took to become durable");
  for (const auto& shard : x.shards)
    to.add_times(shard_label(shard.shard), shard.appends, count_flushes);
}

void add_stores(exported& to, const engine_numbers& x) {
  to.gauge("depositd_projector_lag_events",
           "Events of the journal that are not in the tables yet");
  for (const auto& [shard, report] : x.stores)
    to.add(shard_label(shard), report.journalled > report.projected
                                 ? report.journalled - report.projected
                                 : 0);
  to.gauge("depositd_journal_bytes", "What the journal takes on the disk");
  for (const auto& [shard, report] : x.stores)
    to.add(shard_label(shard), report.journal_bytes);
  to.gauge("depositd_journal_segments", "Files of the journal");
  for (const auto& [shard, report] : x.stores)
    to.add(shard_label(shard), report.segments);
}

/// "TOPIC/NUMBER".
labels partition_labels(const std::string& name) {
  const auto end = name.rfind('/');
  if (end == std::string::npos)
    return {{"topic", name}, {"partition", ""}};
  return {{"topic", name.substr(0, end)}, {"partition", name.substr(end + 1)}};
}

void add_records(exported& to, const engine_numbers& x) {
  const auto each = [&](const auto& value) {
    for (const auto& in : x.intakes)
      for (const auto& one : in.partitions)
        to.add(partition_labels(one.partition),
               static_cast<double>(value(one)));
  };
  to.gauge("depositd_ingest_lag_records",
           "Records of a partition that have not been read");
  each([](const auto& one) {
    return std::max<std::int64_t>(one.end - one.next, 0);
  });
  to.gauge("depositd_ingest_cursor", "Offset that is read next");
  each([](const auto& one) { return one.next; });
  std::uint64_t accepted = 0, rejected = 0, published = 0, dead = 0;
  for (const auto& in : x.intakes) {
    accepted += in.accepted;
    rejected += in.rejected;
  }
  for (const auto& out : x.publishers) {
    published += out.events;
    dead += out.dead_letters;
  }
  to.counter("depositd_ingest_records_total",
             "Records that were read, by what became of them");
  if (!x.intakes.empty()) {
    to.add({{"outcome", "accepted"}}, accepted);
    to.add({{"outcome", "rejected"}}, rejected);
  }
  to.counter("depositd_published_total", "Outcomes that were published");
  if (!x.publishers.empty())
    to.add({}, published);
  to.counter("depositd_dead_letters_total", "Records sent to the dead letters");
  if (!x.publishers.empty())
    to.add({}, dead);
}

void add_slots(exported& to, const engine_numbers& x) {
  std::map<std::string, std::pair<std::uint64_t, std::uint64_t>> by_name;
  for (const auto& one : x.slots.entries) {
    const auto known =
      by_name.contains(one.processor) || by_name.size() + 1 < queues_named_max;
    auto& [slots, busy] = by_name[known ? one.processor : others];
    ++slots;
    busy += one.item != 0 ? 1 : 0;
  }
  to.gauge("depositd_sp_slots", "Items that a processor takes at once");
  for (const auto& [name, counts] : by_name)
    to.add({{"sp", name}}, counts.first);
  to.gauge("depositd_sp_busy", "Of these, items that it works on");
  for (const auto& [name, counts] : by_name)
    to.add({{"sp", name}}, counts.second);
}

void add_leases(exported& to, const engine_numbers& x) {
  to.gauge("depositd_lease_left_seconds",
           "How long the lease of a shard lasts, whoever has it");
  for (const auto& one : x.leases.shards)
    to.add(shard_label(one.shard), static_cast<double>(one.left_ms) / 1e3);
  to.gauge("depositd_engine_left_seconds",
           "How long an engine counts as alive without being heard of again");
  for (const auto& one : x.leases.engines)
    to.add({{"peer", one.who.name}}, static_cast<double>(one.left_ms) / 1e3);
  to.gauge("depositd_engines", "Engines that share the shards");
  if (!x.leases.shards.empty())
    to.add({}, static_cast<std::uint64_t>(x.leases.engines.size()));
}

void add_doors(exported& to, const engine_numbers& x) {
  const auto each = [&](auto field) {
    for (const auto& one : x.doors)
      to.add({{"door", one.door}}, one.numbers.*field);
  };
  using n = http::server_numbers;
  to.gauge("depositd_http_connections", "Connections that are open");
  each(&n::connections);
  to.counter("depositd_http_accepted_total", "Connections that were accepted");
  each(&n::accepted);
  to.counter("depositd_http_received_total", "Requests that came to a door");
  each(&n::requests);
  to.counter("depositd_http_requests_total",
             "Requests that a door has answered, by route and status");
  for (const auto& one : x.doors)
    for (const auto& of : one.numbers.by_route)
      for (const auto& [status, count] : of.by_status)
        to.add({{"door", one.door},
                {"route", of.route},
                {"code", std::to_string(status)}},
               count);
  to.histogram("depositd_http_request_seconds",
               "From the first byte of a request until its answer began to "
               "leave");
  for (const auto& one : x.doors)
    to.add_times({{"door", one.door}}, one.numbers.times, 0);
  to.counter("depositd_http_refused_total",
             "Requests refused for want of room");
  each(&n::refused);
  to.counter("depositd_http_expired_total", "Requests ended by a time limit");
  each(&n::expired);
}

void add_certificates(exported& to, const engine_numbers& x) {
  to.gauge("depositd_certificate_ends_seconds",
           "When a certificate in use ends, since 1970");
  for (const auto& one : x.certificates)
    to.add({{"use", one.use}}, static_cast<double>(one.until_s));
  to.gauge("depositd_certificate_due",
           "1 for a certificate that should have been renewed");
  for (const auto& one : x.certificates)
    to.add({{"use", one.use}}, one.due ? 1.0 : 0.0);
}

/// Of "1.2.3+5.gCOMMIT" or "1.2.3-dev.5+gCOMMIT"; empty of a release.
std::string commit_of(const std::string& version) {
  const auto built = version.find('+');
  const auto at = version.find('g', built == std::string::npos ? 0 : built);
  return built == std::string::npos || at == std::string::npos
           ? ""
           : version.substr(at + 1);
}

void add_process(exported& to, const engine_numbers& x) {
  to.gauge("depositd_build_info", "The version that runs; always 1");
  to.add({{"version", x.version}, {"commit", commit_of(x.version)}}, 1.0);
  to.gauge("depositd_memory_used_bytes", "What counts against memory.budget");
  to.add({}, x.memory_used);
  to.gauge("depositd_mailbox_wait_seconds",
           "How long a part of the engine took to answer this scrape");
  for (const auto& one : x.answers)
    if (!one.silent)
      to.add({{"part", one.part}},
             seconds(static_cast<double>(one.took.count())));
  to.gauge("depositd_scrape_errors", "1 for parts that did not answer in time");
  for (const auto& one : x.answers)
    to.add({{"part", one.part}}, one.silent ? 1.0 : 0.0);
  const auto& p = x.process;
  to.counter("process_cpu_seconds_total", "Processor time, system's included");
  to.add({}, p.cpu_seconds);
  to.gauge("process_resident_memory_bytes", "Memory that is in use");
  to.add({}, p.resident_bytes);
  to.gauge("process_virtual_memory_bytes", "Memory that is reserved");
  to.add({}, p.virtual_bytes);
  to.gauge("process_open_fds", "Open files and sockets");
  to.add({}, p.open_files);
  to.gauge("process_threads", "Threads");
  to.add({}, p.threads);
  to.gauge("process_start_time_seconds", "When it was started, since 1970");
  to.add({}, p.started_s);
}

} // namespace

void add_engine(exported& to, const engine_numbers& x) {
  add_shards(to, x);
  add_stores(to, x);
  add_records(to, x);
  add_slots(to, x);
  add_leases(to, x);
  add_doors(to, x);
  add_certificates(to, x);
  add_process(to, x);
}

} // namespace metrics

std::string metrics_text(const engine_numbers& x,
                         const lasting_counters& counts) {
  metrics::exported out;
  metrics::add_queues(out, x, counts);
  metrics::add_engine(out, x);
  metrics::add_seldom(out, x);
  return out.text();
}

} // namespace depositd
