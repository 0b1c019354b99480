// What engines of this kind are expected to tell: each is exported by an engine
// that has everything, or the document says why not.

#include "adapters/doors/operations/engine_numbers.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

namespace depositd {

namespace {

/// Names without their prefix, and labels where some were asked for.
struct expected_metric {
  const char* name;
  std::vector<const char*> labels;
};

const std::vector<expected_metric>& expected() {
  static const std::vector<expected_metric> out{
    {"submissions_accepted_total", {"queue"}},
    {"submissions_rejected_total", {"queue", "reason"}},
    {"submissions_duplicate_total", {}},
    {"jobs", {"queue", "state"}},
    {"queue_oldest_age_seconds", {"queue"}},
    {"users_pending", {}},
    {"users_at_cap", {}},
    {"ring_cursor", {}},
    {"grants_total", {"queue", "kind"}},
    {"grant_wait_seconds", {}},
    {"job_duration_seconds", {"queue"}},
    {"job_transitions_total", {}},
    {"illegal_transitions_total", {}},
    {"retries_total", {}},
    {"redeliveries_total", {}},
    {"leases_expired_total", {}},
    {"stale_results_total", {}},
    {"dead_letters_total", {}},
    {"dead_letters", {}},
    {"batches", {"state"}},
    {"batch_close_seconds", {}},
    {"ingest_lag_records", {"topic", "partition"}},
    {"ingest_cursor", {}},
    {"journal_commit_seconds", {}},
    {"journal_batch_size", {}},
    {"outbox_pending", {}},
    {"outbox_oldest_age_seconds", {}},
    {"snapshot_age_seconds", {}},
    {"snapshot_bytes", {}},
    {"snapshot_duration_seconds", {}},
    {"recovery_seconds", {}},
    {"recovery_replayed_records", {}},
    {"sp_connected", {}},
    {"sp_slots", {"sp"}},
    {"sp_busy", {"sp"}},
    {"node_heartbeat_age_seconds", {}},
    {"shard_epoch", {"shard"}},
    {"shard_owner_changes_total", {}},
    {"fenced_total", {}},
    {"suspended", {"queue"}},
    {"build_info", {"version", "commit"}},
    {"http_requests_total", {"route", "code"}},
    {"http_request_seconds", {}},
    {"auth_failures_total", {"reason"}},
  };
  return out;
}

/// An engine that has queues, an outbox, brokers, leases, processors and doors,
/// and to which everything has happened once.
std::string told_by_everything() {
  shard_measured shard;
  shard.serving = true;
  auto& ring = shard.rings.emplace_back();
  ring.report.name = "metadata";
  ring.report.settings.kind = queue_kind::deposit;
  auto& outbox = shard.rings.emplace_back();
  outbox.report.name = "crossref.notify";
  outbox.report.settings.kind = queue_kind::outbox;
  outbox.report.items = 7;
  outbox.parked = 2;
  outbox.oldest_us = 4'000'000;
  lasting_counters counts;
  counts.take(shard, 1);
  engine_numbers x;
  x.now_us = 10'000'000;
  x.version = "1.2.3+5.gabcdef012345";
  x.shards.push_back(shard);
  x.stores.push_back({0, {.journalled = 10, .projected = 8}});
  x.intakes.push_back({{{"deposits/3", 1, 2}}, 1, 0, ""});
  x.publishers.emplace_back();
  x.slots.entries.emplace_back().processor = "sp";
  x.leases.shards.emplace_back();
  x.leases.engines.push_back({{"north", "127.0.0.1:1"}, 900, true});
  http::server_numbers served;
  auto& deposits = served.by_route.emplace_back();
  deposits.route = "POST /servlet/deposit";
  deposits.by_status = {{200, 3}, {401, 1}};
  x.doors.push_back({"http", served});
  x.certificates.push_back({"node", 2'524'607'999, true});
  for (std::size_t i = 0; i < x.seldom.size(); ++i)
    x.seldom[i].push_back({"0", "broker", 5'000'000});
  return metrics_text(x, counts);
}

/// From the table of the document: the name, and what is said of it.
std::map<std::string, std::string> documented() {
  std::ifstream in{DEPOSITD_METRICS_FILE};
  std::map<std::string, std::string> out;
  const std::regex row{"^\\| ([a-z_]+) \\| (.*) \\|$"};
  for (std::string line; std::getline(in, line);)
    if (std::smatch found; std::regex_match(line, found, row))
      out[found[1]] = found[2];
  return out;
}

/// The first line of a sample of this name; empty: there is none.
std::string sample_of(const std::string& text, const std::string& name) {
  std::istringstream in{text};
  for (std::string line; std::getline(in, line);)
    if (line.starts_with(name + "{") || line.starts_with(name + " ")
        || line.starts_with(name + "_bucket{"))
      return line;
  return "";
}

TEST(metric_names, are_exported_or_it_is_said_why_not) {
  const auto text = told_by_everything();
  const auto said = documented();
  for (const auto& x : expected()) {
    SCOPED_TRACE(x.name);
    const auto sample = sample_of(text, std::string{"depositd_"} + x.name);
    if (sample.empty()) {
      ASSERT_TRUE(said.contains(x.name));
      EXPECT_GT(said.at(x.name).size(), 30u) << "a reason, please";
      continue;
    }
    EXPECT_FALSE(said.contains(x.name)) << "it is exported";
    for (const auto* label : x.labels)
      EXPECT_NE(sample.find(std::string{label} + "=\""), std::string::npos)
        << label << " in " << sample;
  }
}

bool has(const std::string& text, const std::string& line) {
  return ("\n" + text).find("\n" + line + "\n") != std::string::npos;
}

TEST(metric_names, come_with_their_values_and_units) {
  const auto text = told_by_everything();
  for (const auto* line : {
         R"(depositd_http_requests_total{door="http",)"
         R"(route="POST /servlet/deposit",code="401"} 1)",
         R"(depositd_ingest_lag_records{topic="deposits",partition="3"} 1)",
         R"(depositd_outbox_pending 5)",
         R"(depositd_outbox_oldest_age_seconds 6)",
         R"(depositd_recovery_seconds{shard="0"} 5)",
         R"(depositd_recovery_replayed_records{shard="0"} 5000000)",
         R"(depositd_snapshot_age_seconds{shard="0"} 5)",
         R"(depositd_kafka_rtt_seconds{client="0",broker="broker"} 5)",
         R"(depositd_submissions_rejected_total{queue="0",)"
         R"(reason="broker"} 5000000)",
         R"(depositd_engine_left_seconds{peer="north"} 0.9)",
         R"(depositd_certificate_ends_seconds{use="node"} 2524607999)",
         R"(depositd_certificate_due{use="node"} 1)",
         R"(depositd_build_info{version="1.2.3+5.gabcdef012345",)"
         R"(commit="abcdef012345"} 1)",
       })
    EXPECT_TRUE(has(text, line)) << line << "\nin\n" << text;
}

TEST(metric_names, tell_the_commit_of_what_is_no_release) {
  lasting_counters nothing;
  engine_numbers x;
  x.version = "0.1.0-dev.12+gabc";
  EXPECT_TRUE(has(metrics_text(x, nothing),
                  R"(depositd_build_info{version="0.1.0-dev.12+gabc",)"
                  R"(commit="abc"} 1)"));
  x.version = "1.0.0";
  EXPECT_TRUE(has(metrics_text(x, nothing),
                  R"(depositd_build_info{version="1.0.0",commit=""} 1)"));
}

} // namespace

} // namespace depositd
