#include "config/kafka_checks.hpp"
#include "config/secrets.hpp"
#include "tests/config/read_settings.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <istream>
#include <iterator>
#include <set>
#include <string>

namespace depositd {
namespace {

std::string defaults_text() {
  std::ifstream in{DEPOSITD_DEFAULTS_FILE};
  return {std::istreambuf_iterator<char>{in}, {}};
}

using testing::refusal_of;
using testing::settings_of;

TEST(settings, documented_defaults_are_the_real_ones) {
  EXPECT_EQ(settings_of(defaults_text()), depositd_settings{});
}

TEST(settings, the_default_file_documents_every_key) {
  const auto given = read_yaml(defaults_text(), "depositd.yaml");
  ASSERT_TRUE(given);
  std::set<std::string> documented;
  for (const auto& x : *given)
    documented.insert(x.key);
  for (auto key : setting_keys()) {
    if (const auto name = key.find("NAME"); name != std::string::npos)
      key.replace(name, 4,
                  key.starts_with("storage.")       ? "local"
                  : key.starts_with("restoration.") ? "default"
                  : key.starts_with("reconcilers.") ? "deletions"
                                                    : "metadata");
    EXPECT_TRUE(documented.count(key)) << key;
  }
}

/// Keys in the first cells of the tables of a document. What begins with a dot
/// has the beginning of the key before it.
std::set<std::string> keys_in_tables(std::istream&& document) {
  std::set<std::string> out;
  std::string line;
  while (std::getline(document, line)) {
    const auto cell = line.substr(0, line.find(" | "));
    std::string before;
    for (auto at = cell.find('`'); line.starts_with("| `") && at < cell.size();
         at = cell.find('`', at)) {
      const auto end = cell.find('`', at + 1);
      auto key = cell.substr(at + 1, end - at - 1);
      if (key.starts_with('.'))
        key.insert(0, before.substr(0, before.rfind('.')));
      out.insert(key);
      before = std::move(key);
      at = end == cell.npos ? end : end + 1;
    }
  }
  return out;
}

TEST(settings, the_manual_tells_of_every_key) {
  const auto told = keys_in_tables(std::ifstream{DEPOSITD_SETTINGS_PAGE});
  for (const auto& key : setting_keys())
    EXPECT_TRUE(told.count(key)) << key;
  for (const auto& secret : secret_table())
    EXPECT_TRUE(told.count(std::string{secret.name} + "_file")) << secret.name;
}

TEST(settings, an_empty_file_changes_nothing) {
  EXPECT_EQ(settings_of(""), depositd_settings{});
  EXPECT_EQ(settings_of("# nothing\n"), depositd_settings{});
  EXPECT_EQ(settings_of("kafka:\n  # brokers: x\nhttp:\nqueues:\n"),
            depositd_settings{});
}

// A queue's kind is for life, and deposits go nowhere else.
TEST(settings, deposit_queues_keep_their_kind) {
  for (const std::string name : {"metadata", "query"})
    EXPECT_NE(refusal_of("queues: {" + name + ": {kind: message}}")
                .find("queues." + name + ".kind:"),
              std::string::npos);
}

TEST(settings, whom_nsq_asks_has_an_address) {
  for (const std::string wrong : {"a b", "ftp://a", "http://", "http:///auth"})
    EXPECT_NE(refusal_of("nsq: {auth: {http_address: '" + wrong + "'}}")
                .find("nsq.auth.http_address: must be HOST:PORT or an address"),
              std::string::npos);
  for (const std::string right : {"a:4180", "[::1]:4180", "https://a/auth"})
    settings_of("nsq: {auth: {http_address: '" + right + "'}}");
}

TEST(settings, stages_are_of_pipelines_only) {
  EXPECT_NE(refusal_of("queues: {letters: {kind: stage}}")
              .find("queues.letters.kind: must be message or deposit"),
            std::string::npos);
}

TEST(settings, deposit_queues_start_with_their_promised_numbers) {
  const depositd_settings defaults;
  for (const auto name : {"metadata", "query"}) {
    const auto& queue = defaults.queues.at(name);
    EXPECT_EQ(queue.kind, queue_kind::deposit);
    EXPECT_EQ(queue.allocation, 1u);
    EXPECT_EQ(queue.concurrency, 4u);
    EXPECT_EQ(queue.pending_limit, 10'000u);
  }
  EXPECT_EQ(to_string(defaults.http.listen), "127.0.0.1:8080");
  EXPECT_EQ(to_string(defaults.admin.listen), "127.0.0.1:8081");
  EXPECT_EQ(to_string(defaults.node.listen), "127.0.0.1:4747");
}

TEST(settings, values_reach_their_fields) {
  const auto x = settings_of("store: {kind: memory, segment_mb: 8}\n"
                             "http:\n"
                             "  listen: '[::1]:0'\n"
                             "  trusted_proxies: [10.0.0.5, 'fd00::/8']\n"
                             "processors: {count: 0, inject_delay_ms: 50}\n"
                             "operators:\n"
                             "  administrators: [anna, engine-2.example.org]\n"
                             "prohibited_users: [creftest, taylor]\n"
                             "emodb: {anonymous: true}\n"
                             "log: {level: debug}\n");
  EXPECT_EQ(x.store.kind, store_kind::memory);
  EXPECT_EQ(x.store.segment_mb, 8u);
  EXPECT_EQ(x.http.listen, (endpoint{"::1", 0}));
  EXPECT_EQ(x.http.trusted_proxies,
            (std::vector<std::string>{"10.0.0.5", "fd00::/8"}));
  EXPECT_EQ(x.processors.count, 0u);
  EXPECT_EQ(x.processors.inject_delay_ms, 50u);
  EXPECT_EQ(x.operators.administrators,
            (std::vector<std::string>{"anna", "engine-2.example.org"}));
  EXPECT_EQ(x.prohibited_users,
            (std::vector<std::string>{"creftest", "taylor"}));
  EXPECT_TRUE(x.emodb.anonymous);
  EXPECT_EQ(x.log.level, "debug");
}

TEST(settings, kafka_takes_its_connection_in_parts) {
  const auto x = settings_of("kafka:\n"
                             "  brokers: a:1,b:2\n"
                             "  partitions: 3\n"
                             "  tls: {ca: /dev/null}\n"
                             "  sasl: {mechanism: PLAIN, user: u}\n"
                             "  options: [linger.ms=1, client.id=x=y]\n");
  EXPECT_EQ(x.kafka.brokers, "a:1,b:2");
  EXPECT_EQ(x.kafka.partitions, 3u);
  EXPECT_EQ(x.kafka.tls.ca, "/dev/null");
  EXPECT_EQ(x.kafka.sasl.mechanism, "PLAIN");
  EXPECT_EQ(x.kafka.sasl.user, "u");
  EXPECT_EQ(x.kafka.options,
            (std::vector<std::string>{"linger.ms=1", "client.id=x=y"}));
}

TEST(settings, brokers_are_named_as_librdkafka_takes_them) {
  for (const std::string brokers :
       {"a", "a:1, b:2,", "SSL://a:1,PLAINTEXT://[::1]:2", "[::1]", "10.0.0.1"})
    EXPECT_EQ(settings_of("kafka: {brokers: '" + brokers + "'}\n")
                .kafka.brokers,
              brokers);
}

TEST(settings, what_librdkafka_refuses_is_named_as_people_set_it) {
  EXPECT_EQ(kafka_setting_in("kafka client: ssl.ca.location failed: no crl"),
            "kafka.tls.ca");
  EXPECT_EQ(kafka_setting_in("kafka client: Unsupported SASL mechanism: FOO"),
            "kafka.sasl.mechanism");
  EXPECT_EQ(kafka_setting_in("kafka option foo.bar: No such property"),
            "kafka.options");
  EXPECT_EQ(kafka_setting_in("kafka.sasl.password_file: no password in x"),
            "kafka.sasl.password_file")
    << "which has its name already";
  EXPECT_EQ(kafka_setting_in("kafka client: out of luck"), "kafka");
}

TEST(settings, an_address_that_counts_for_nothing_is_remarked_on) {
  const auto remarks =
    settings_of("store: {url: 'postgresql://a@h/d'}\n").remarks;
  ASSERT_EQ(remarks.size(), 1u);
  EXPECT_EQ(remarks[0].find("store.url: "), 0u) << remarks[0];
}

TEST(settings, nsq_tells_those_who_are_listed_where_it_is) {
  const auto x = settings_of("nsq:\n"
                             "  listen: 127.0.0.1:4150\n"
                             "  http: {listen: '127.0.0.1:4151', tls: false}\n"
                             "  lookupd: ['a:4160', '[::1]:4160']\n"
                             "  broadcast_address: queue.example\n");
  EXPECT_EQ(x.nsq.http.listen, (endpoint{"127.0.0.1", 4151}));
  EXPECT_FALSE(x.nsq.http.tls);
  EXPECT_EQ(x.nsq.lookupd, (std::vector<endpoint>{{"a", 4160}, {"::1", 4160}}));
  EXPECT_EQ(x.nsq.broadcast_address, "queue.example");
  EXPECT_FALSE(settings_of("").nsq.http.is_open());
}

TEST(settings, a_queue_takes_the_defaults_of_its_kind_in_any_order) {
  const auto x = settings_of("queues:\n"
                             "  extra.one: {concurrency: 2, kind: deposit}\n"
                             "  plain: {}\n"
                             "  open: {pending_limit: none}\n"
                             "  metadata: {allocation: 3}\n");
  EXPECT_EQ(x.queues.size(), 5u);
  EXPECT_EQ(x.queues.at("extra.one").concurrency, 2u);
  EXPECT_EQ(x.queues.at("extra.one").pending_limit, 10'000u);
  EXPECT_EQ(x.queues.at("plain"), queue_settings{});
  EXPECT_EQ(x.queues.at("open").pending_limit, no_cap);
  EXPECT_EQ(x.queues.at("metadata").allocation, 3u);
  EXPECT_EQ(x.queues.at("metadata").concurrency, 4u);
}

TEST(settings, an_unknown_key_is_named_with_its_place) {
  const auto why = refusal_of("http:\n  listen: 127.0.0.1:1\n  lsten: x\n");
  EXPECT_NE(why.find("unknown key http.lsten"), std::string::npos) << why;
  EXPECT_NE(why.find("test.yaml:3"), std::string::npos) << why;
  EXPECT_NE(why.find("http.listen"), std::string::npos) << why;
}

struct refused_case {
  const char* yaml;
  const char* expected;
};

class wrong_setting : public ::testing::TestWithParam<refused_case> {};

TEST_P(wrong_setting, is_refused_by_name) {
  const auto why = refusal_of(GetParam().yaml);
  EXPECT_NE(why.find(GetParam().expected), std::string::npos) << why;
}

INSTANTIATE_TEST_SUITE_P(
  settings, wrong_setting,
  ::testing::Values(
    refused_case{"http: {listen: 8080}",
                 "http.listen: must be HOST:PORT, not \"8080\""},
    refused_case{"http: {listen: ['127.0.0.1:8080']}",
                 "http.listen: must be HOST:PORT"},
    refused_case{"http: {connections_max: [5]}", "http.connections_max: must"},
    refused_case{"http: {connections_max: }", "http.connections_max: must"},
    refused_case{"nsq: {snappy: [true]}", "nsq.snappy: must be true or false"},
    refused_case{"http: {listen: 'x:99999'}", "http.listen:"},
    refused_case{"nsq: {http: {listen: 4151}}",
                 "nsq.http.listen: must be HOST:PORT, not \"4151\""},
    refused_case{"nsq: {lookupd: [a]}",
                 "nsq.lookupd: must be a list of HOST:PORT, \"a\" is none"},
    refused_case{"nsq: {lookupd: ['a:4160']}",
                 "nsq.lookupd: needs nsq.listen and nsq.http.listen"},
    refused_case{"nsq: {broadcast_address: 'http://a'}",
                 "nsq.broadcast_address: must be a host's name or address"},
    refused_case{"http: {listen: ':80'}", "http.listen:"},
    refused_case{"http: {listen: '::1:80'}", "http.listen:"},
    refused_case{"http: {listen: '[::1:80'}", "http.listen:"},
    refused_case{"http: {listen: }", "http.listen: must be HOST:PORT"},
    refused_case{"http: {listen: [a, b]}", "http.listen: must be HOST:PORT"},
    refused_case{"http: 7", "unknown key http"},
    refused_case{"just text", "no keys"},
    refused_case{"processors: {count: -1}", "processors.count: must be"},
    refused_case{"processors: {count: 5000}", "from 0 to 1024"},
    refused_case{"processors: {count: 1.5}", "processors.count: must be"},
    refused_case{"processors: {count: 99999999999999999999}", "must be"},
    refused_case{"store: {kind: mysql}", "embedded, postgres, memory"},
    refused_case{"store: {kind: postgres}", "store.url: is needed"},
    refused_case{"emodb: {anonymous: maybe}", "true or false"},
    refused_case{"log: {level: loud}", "log.level: must be one of"},
    refused_case{"log: {format: xml}", "log.format: must be one of"},
    refused_case{"retention: {submissions_days: 3}", "from 7 to"},
    refused_case{"queues: {UPPER: {}}", "queues.UPPER"},
    refused_case{"queues: {a: {speed: 1}}", "unknown key queues.a.speed"},
    refused_case{"queues: {a: {kind: odd}}", "queues.a.kind: must be one of"},
    refused_case{"queues: {a: {concurrency: -2}}", "a number or none"},
    refused_case{"queues: {a: {retry_delay_ms: 9, retry_delay_ms_max: 1}}",
                 "queues.a.retry_delay_ms: is more than"},
    refused_case{"prohibited_users: ['..']", "prohibited_users: \"..\""},
    refused_case{"crossref: {schema_folder: /no/such}",
                 "crossref.schema_folder: there is no folder"},
    refused_case{"http: {tls: {key: /no/such}}",
                 "http.tls.certificate: is needed too"},
    refused_case{"http: {tls: {key: /no/such, certificate: /no/such}}",
                 "http.tls.certificate: cannot read"},
    refused_case{"node: {listen: '0.0.0.0:4747'}",
                 "node.listen: 0.0.0.0:4747 can be reached"},
    refused_case{"admin: {listen: '0.0.0.0:8081'}",
                 "admin.listen: 0.0.0.0:8081 can be reached"},
    refused_case{"admin: {tls: {key: /no/such}}",
                 "admin.tls.certificate: is needed too"},
    refused_case{"admin: {session_hours: 0}",
                 "admin.session_hours: must be a number from 1 to 720"},
    refused_case{"node: {listen: '[::]:4747'}", "node.listen: [::]:4747 can"},
    refused_case{"node: {advertise: elsewhere}",
                 "node.advertise: \"elsewhere\" is not HOST:PORT"},
    refused_case{"shards: {count: 0}", "shards.count: "},
    refused_case{"shards: {count: 257}", "shards.count: "},
    refused_case{"{shards: {count: 2}, store: {kind: memory}}",
                 "shards.count: store.kind memory has one shard"},
    refused_case{"{shards: {count: 2}, threads: {one_loop: true}}", "one_loop"},
    refused_case{"shards: {lease_ms: 499}", "shards.lease_ms: "},
    refused_case{"a: {b: {c: {d: {e: {f: {g: {h: {i: 1}}}}}}}}", "levels"},
    refused_case{"? [a, b]\n: c", "a key must be a text"},
    refused_case{"a: [[1]]", "a: must be a list of texts"},
    refused_case{"http: [", "test.yaml:"},
    refused_case{"a: 1\nb: c: d\n", "test.yaml:2: "},
    refused_case{"a: 1\n---\nb: 2", "more than one document"},
    refused_case{",65", "more than one document"}));

TEST(settings, a_value_given_twice_in_a_file_is_refused) {
  const auto why = refusal_of("log: {level: info}\nlog: {level: warn}\n");
  EXPECT_NE(why.find("log.level: given twice (test.yaml:2)"), std::string::npos)
    << why;
}

INSTANTIATE_TEST_SUITE_P(
  kafka_settings, wrong_setting,
  ::testing::Values(
    refused_case{"kafka: {brokers: \"a\\nb\"}", "control characters"},
    refused_case{"kafka: {options: [linger]}", "NAME=VALUE"},
    refused_case{"kafka: {partitions: 0}", "kafka.partitions"},
    refused_case{"kafka: {jobs_topic: deposits.out}", "kafka.jobs_topic"},
    refused_case{"kafka: {dead_letter_topic: deposits.in}",
                 "kafka.dead_letter_topic: \"deposits.in\" is another"},
    refused_case{"kafka: {egress_topic: deposits.in}", "kafka.egress_topic: "},
    refused_case{"kafka: {ingress_topic: ''}", "kafka.ingress_topic: must be"},
    refused_case{"kafka: {egress_topic: a b}", "kafka.egress_topic: must be"},
    refused_case{"kafka: {brokers: 'a:1,b:99999'}",
                 "kafka.brokers: must be HOST:PORT,HOST:PORT, \"b:99999\""},
    refused_case{"kafka: {brokers: 'a:1,b c:2'}", "kafka.brokers: "},
    refused_case{"kafka: {brokers: a, sasl: {user: u}}",
                 "kafka.sasl.user: needs kafka.sasl.mechanism"},
    refused_case{"kafka: {brokers: a, sasl: {mechanism: SCRAM-SHA-256}}",
                 "kafka.sasl.user: is needed"},
    refused_case{"mail: {ca: /nowhere/ca.pem}", "mail.ca: cannot read"},
    refused_case{"trace: {ca: /nowhere/ca.pem}", "trace.ca: cannot read"},
    refused_case{"node: {advertise: 'elsewhere:0'}", "node.advertise: "},
    refused_case{"kafka: {tls: {ca: /nowhere/ca.pem}}", "cannot read"},
    refused_case{"kafka: {tls: {certificate: /dev/null}}", "kafka.tls.key"},
    refused_case{"kafka: {sasl: {password_file: /nowhere/p}}", "cannot read"}));

TEST(settings, an_entry_of_a_list_is_one_name_whatever_is_in_it) {
  const auto why = refusal_of("prohibited_users: [a b]\n");
  EXPECT_NE(why.find("prohibited_users: \"a b\" is no user name"),
            std::string::npos)
    << "two others would be prohibited: " << why;
}

TEST(settings, deep_nesting_is_refused_and_not_a_crash) {
  const auto why = refusal_of(std::string(20'000, '['));
  EXPECT_NE(why.find("test.yaml:"), std::string::npos) << why;
}

TEST(settings, that_let_everybody_in_are_remarked_on) {
  const auto remark_of = [](const std::string& yaml) {
    const auto all = settings_of(yaml).remarks;
    return all.empty() ? std::string{} : all.back();
  };
  EXPECT_EQ(remark_of("http:\n  listen: 127.0.0.1:80\n"
                      "emodb:\n  anonymous: true\n"
                      "nsq:\n  listen: 127.0.0.1:4150\n  anonymous: true\n"),
            "");
  EXPECT_TRUE(remark_of("http:\n  listen: 0.0.0.0:80\n")
                .starts_with("http.listen: without http.tls"));
  EXPECT_TRUE(remark_of("http:\n  listen: 0.0.0.0:80\n"
                        "emodb:\n  anonymous: true\n")
                .starts_with("emodb.anonymous: whoever reaches"));
  for (const auto* port : {"  listen: 0.0.0.0:4150\n",
                           "  http:\n    listen: 0.0.0.0:4151\n"})
    EXPECT_TRUE(
      remark_of("nsq:\n" + std::string{port} + "  anonymous: true\n")
        .starts_with("nsq.anonymous: whoever reaches"))
      << port;
  EXPECT_TRUE(remark_of("http:\n  trusted_proxies: [10.0.0.1, 0.0.0.0/0]\n")
                .starts_with("http.trusted_proxies: everybody"));
}

TEST(settings, loopback_needs_no_certificates) {
  for (const auto host : {"127.0.0.1", "127.8.8.8", "[::1]", "localhost"})
    settings_of("node: {listen: '" + std::string{host} + ":4747'}");
}

TEST(endpoints, are_written_as_they_are_read) {
  for (const auto text : {"127.0.0.1:80", "[::1]:0", "a-b.example:65535"}) {
    const auto x = parse_endpoint(text);
    ASSERT_TRUE(x) << text;
    EXPECT_EQ(to_string(*x), text);
  }
}

} // namespace
} // namespace depositd
