#include "adapters/sources/kafka/kafka_reader.hpp"

#include "adapters/logs/kafka/record_log.hpp"
#include "adapters/logs/kafka/topics.hpp"
#include "adapters/sources/kafka/positions.hpp"
#include "tests/support/captured_log.hpp"
#include "tests/support/kafka_admin.hpp"
#include "tests/support/kafka_server.hpp"
#include "tests/support/loopback_listener.hpp"

#include <gtest/gtest.h>
#include <librdkafka/rdkafka_mock.h>

#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <future>
#include <set>
#include <stdexcept>

namespace depositd::sources {

namespace {

using test_clock = std::chrono::steady_clock;
using std::chrono::seconds;

source_settings settings_for(const std::string& topic) {
  source_settings out;
  out.kind = source_kind::kafka;
  out.from.topic = topic;
  return out;
}

reader_context context_for(const kafka_options& options) {
  reader_context out;
  out.body_bytes_max = 10'000;
  out.kafka = options;
  return out;
}

/// Listens, and never says a word.
class silent_broker {
public:
  silent_broker() = default;

  ~silent_broker() {
    if (connection_ >= 0)
      ::close(connection_);
  }

  silent_broker(const silent_broker&) = delete;
  silent_broker& operator=(const silent_broker&) = delete;

  std::string address() const {
    return "127.0.0.1:" + std::to_string(listener_.port());
  }

  void await_connection() {
    connection_ = listener_.accept();
  }

private:
  testing::loopback_listener listener_;
  int connection_ = -1;
};

class kafka_reader_test : public ::testing::Test {
protected:
  void SetUp() override {
    if (!kafka_installed())
      GTEST_SKIP();
    options.brokers = shared_kafka().address();
    static int topics = 0;
    topic = "read-" + std::to_string(++topics);
    sink = std::move(*open_kafka_sink(options));
    make_topic(1);
    open();
  }

  void make_topic(std::int32_t partitions) {
    const auto made =
      make_kafka_topics(options, {{.name = topic, .partitions = partitions}});
    ASSERT_TRUE(made) << render(made.error());
  }

  /// Deletes it, and waits until the brokers say that it is gone.
  void delete_topic() {
    kafka_admin{options.brokers}.delete_topic(topic);
    const auto end = test_clock::now() + seconds{60};
    while (test_clock::now() < end) {
      const auto there = look_at_kafka(options, topic, end);
      ASSERT_TRUE(there) << render(there.error());
      if (there->partitions == 0)
        return;
    }
    FAIL() << "the topic is still there";
  }

  void open(const std::string& key = {},
            std::chrono::milliseconds compared_every = topic_compared_every) {
    auto settings = settings_for(topic);
    settings.key = key;
    auto made = make_kafka_reader("src", settings, context_for(options),
                                  compared_every);
    ASSERT_TRUE(made) << render(made.error());
    reader = std::move(*made);
  }

  /// Records "from" to "to" - 1; keys spread them over partitions.
  void publish(int from, int to, const std::string& before = {},
               const std::string& behind = {}) {
    std::vector<outgoing_record> batch;
    for (int i = from; i < to; ++i)
      batch.push_back({.topic = topic,
                       .key = "k" + std::to_string(i),
                       .value = before + std::to_string(i) + behind});
    const auto error = sink->publish(batch, seconds{60});
    ASSERT_FALSE(error) << render(error);
  }

  pulled_batch next(std::uint64_t limit = 100, std::string cursor = {}) {
    auto out = reader->next_batch({limit, std::move(cursor), seconds{60}});
    EXPECT_TRUE(out) << render(out.error());
    return out ? std::move(*out) : pulled_batch{};
  }

  /// The same of a topic that not all know yet.
  pulled_batch next_of_new(std::uint64_t limit, const std::string& cursor) {
    const auto end = test_clock::now() + seconds{60};
    for (;;) {
      auto out = reader->next_batch({limit, cursor, seconds{60}});
      if (out)
        return std::move(*out);
      if (out.error() == ec::not_found && test_clock::now() < end)
        continue;
      ADD_FAILURE() << render(out.error());
      return {};
    }
  }

  /// What comes next of its one partition.
  static std::int64_t offset_in(const std::string& cursor) {
    const auto read = read_topic_position(cursor);
    return read && read->size() == 1 ? read->at(0).next : -1;
  }

  std::set<std::string> bodies(const pulled_batch& x) {
    std::set<std::string> out;
    for (const auto& record : x.records)
      EXPECT_TRUE(out.insert(record.body).second) << record.body << " twice";
    return out;
  }

  kafka_options options{.timeout_ms = 20'000};
  std::string topic;
  std::unique_ptr<record_sink> sink;
  std::unique_ptr<source_reader> reader;
};

} // namespace

TEST_F(kafka_reader_test, names_records_by_partition_and_offset) {
  const std::vector<std::string> values{R"({"a": 1})", "plain", ""};
  std::vector<outgoing_record> batch;
  for (const auto& value : values)
    batch.push_back({.topic = topic, .key = "k", .value = value});
  ASSERT_FALSE(sink->publish(batch, seconds{60}));
  const auto out = next();
  ASSERT_EQ(out.records.size(), 3u);
  EXPECT_EQ(out.records[0], (pulled_record{"0-0", "src", R"({"a":1})",
                                           out.records[0].cursor}));
  EXPECT_EQ(offset_in(out.records[0].cursor), 1);
  EXPECT_EQ(out.records[1].body, "\"plain\"");
  EXPECT_EQ(out.records[2].body, "\"\"");
  EXPECT_EQ(out.records[2].key, "0-2");
  EXPECT_EQ(offset_in(out.cursor), 3);
}

TEST_F(kafka_reader_test, returns_soon_when_there_is_no_more) {
  publish(0, 3);
  const auto begun = test_clock::now();
  const auto batch = next(100);
  EXPECT_EQ(batch.records.size(), 3u);
  EXPECT_TRUE(next(100, batch.cursor).records.empty());
  EXPECT_TRUE(next(100, batch.cursor).records.empty());
  EXPECT_LT(test_clock::now() - begun, seconds{45})
    << "and does not wait for its time limit of 60 s, three times";
}

TEST_F(kafka_reader_test, says_what_a_transaction_that_stays_open_holds_up) {
  publish(0, 1);
  const auto before = next();
  EXPECT_EQ(before.records.size(), 1u);
  open_transaction open{options.brokers, topic};
  ASSERT_TRUE(open.begun());
  publish(1, 2);
  caf::error why;
  const auto end = test_clock::now() + seconds{60};
  while (!why && test_clock::now() < end) {
    const auto x = reader->next_batch({100, before.cursor, seconds{60}});
    if (!x)
      why = x.error();
    else
      EXPECT_TRUE(x->records.empty());
  }
  EXPECT_EQ(why, ec::store_failed);
  EXPECT_NE(render(why).find(topic + "/0 shows nothing from offset 1 on"),
            std::string::npos)
    << render(why);
  ASSERT_TRUE(open.abort());
  std::size_t came = 0;
  while (came == 0 && test_clock::now() < end + seconds{60})
    if (const auto x = reader->next_batch({100, before.cursor, seconds{60}}))
      came = x->records.size();
  EXPECT_EQ(came, 1u);
}

TEST_F(kafka_reader_test, an_empty_topic_has_no_cursor) {
  const auto batch = next();
  EXPECT_TRUE(batch.records.empty());
  EXPECT_FALSE(batch.has_cursor);
}

TEST_F(kafka_reader_test, reads_all_partitions_from_any_cursor_once) {
  topic += "-wide";
  make_topic(3);
  open();
  publish(0, 60);
  std::set<std::string> seen;
  std::string cursor;
  std::vector<std::string> cursors;
  for (int i = 0; seen.size() < 60 && i < 60; ++i) {
    const auto batch = next(7, cursor);
    EXPECT_LE(batch.records.size(), 7u);
    for (const auto& body : bodies(batch))
      EXPECT_TRUE(seen.insert(body).second) << body << " twice";
    for (const auto& x : batch.records)
      cursors.push_back(x.cursor);
    cursor = batch.cursor;
  }
  ASSERT_EQ(cursors.size(), 60u);
  EXPECT_EQ(cursors.back(), cursor);
  // By the cursor of any record, what came behind it comes again.
  EXPECT_EQ(bodies(next(100, cursors[19])).size(), 40u);
  EXPECT_EQ(bodies(next(100, cursors[58])).size(), 1u);
}

TEST_F(kafka_reader_test, goes_on_at_the_oldest_when_its_offset_is_gone) {
  publish(0, 10);
  const auto batch = next(3);
  ASSERT_EQ(batch.records.size(), 3u);
  kafka_admin{options.brokers}.delete_records(topic, 0, 7);
  open();
  const auto rest = next(100, batch.cursor);
  EXPECT_EQ(bodies(rest), (std::set<std::string>{"7", "8", "9"}));
  ASSERT_EQ(rest.bad.size(), 1u);
  EXPECT_NE(rest.bad[0].reason.find("from offset 3, but begins at 7"),
            std::string::npos)
    << rest.bad[0].reason;
  EXPECT_TRUE(next(100, rest.cursor).bad.empty()) << "that is said once";
}

TEST_F(kafka_reader_test, says_once_what_was_gone_before_its_first_read) {
  const depositd::testing::captured_log log;
  publish(0, 10);
  kafka_admin{options.brokers}.delete_records(topic, 0, 7);
  const auto batch = next(2);
  EXPECT_EQ(bodies(batch), (std::set<std::string>{"7", "8"}));
  EXPECT_TRUE(batch.bad.empty());
  next(2);
  next(2, batch.cursor);
  EXPECT_EQ(log.count("source_begins_late source=src topic=" + topic
                      + " partition=0 offsets=0-6 "),
            1u)
    << log.text();
}

TEST_F(kafka_reader_test, begins_anew_with_a_topic_that_was_made_anew) {
  open("id");
  publish(0, 10);
  const auto batch = next();
  ASSERT_EQ(offset_in(batch.cursor), 10);
  delete_topic();
  const auto gone = reader->next_batch({9, batch.cursor, seconds{30}});
  ASSERT_FALSE(gone);
  EXPECT_EQ(gone.error(), ec::not_found) << render(gone.error());
  make_topic(1);
  sink = std::move(*open_kafka_sink(options)); // it may know the old one
  const auto none = next_of_new(9, batch.cursor);
  EXPECT_TRUE(none.records.empty());
  EXPECT_EQ(none.cursor, R"({"0":0})") << "before there are as many";
  ASSERT_EQ(none.bad.size(), 1u);
  EXPECT_NE(none.bad[0].reason.find("from offset 10, but ends at 0"),
            std::string::npos)
    << none.bad[0].reason;
  const auto error = sink->publish(
    {{.topic = topic, .key = "k", .value = R"({"id":20})"}}, seconds{60});
  ASSERT_FALSE(error) << render(error);
  EXPECT_EQ(bodies(next_of_new(9, none.cursor)),
            (std::set<std::string>{R"({"id":20})"}));
}

TEST_F(kafka_reader_test, reads_no_offsets_again_that_are_its_keys) {
  publish(0, 10);
  const auto batch = next();
  delete_topic();
  make_topic(1);
  sink = std::move(*open_kafka_sink(options));
  for (const auto grown : {false, true}) {
    if (grown)
      publish(20, 40);
    auto out = reader->next_batch({9, batch.cursor, seconds{60}});
    while (!out && out.error() == ec::not_found) // not all know it yet
      out = reader->next_batch({9, batch.cursor, seconds{60}});
    ASSERT_FALSE(out) << "what is new would be taken for known";
    EXPECT_EQ(out.error(), ec::store_damaged) << render(out.error());
    EXPECT_NE(render(out.error()).find("from offset 10, but ends at 0"),
              std::string::npos)
      << render(out.error());
  }
  open();
  EXPECT_EQ(bodies(next_of_new(100, {})).size(), 20u) << "as when added again";
}

TEST_F(kafka_reader_test, knows_a_topic_made_anew_that_is_longer_already) {
  open("id");
  publish(0, 10, R"({"id":)", "}");
  const auto cursor = next().cursor;
  ASSERT_EQ(offset_in(cursor), 10);
  delete_topic();
  make_topic(1);
  sink = std::move(*open_kafka_sink(options));
  publish(20, 40, R"({"id":)", "}");
  open("id");
  const auto none = next_of_new(100, cursor);
  EXPECT_TRUE(none.records.empty());
  ASSERT_EQ(none.bad.size(), 1u);
  EXPECT_NE(none.bad[0].reason.find("another record at offset 9 than was read "
                                    "there: it was made anew"),
            std::string::npos)
    << none.bad[0].reason;
  EXPECT_EQ(bodies(next(100, none.cursor)).size(), 20u);
  // By its offsets it would be taken for known.
  open();
  const auto out = reader->next_batch({100, cursor, seconds{60}});
  EXPECT_EQ(out ? caf::error{} : out.error(), ec::store_damaged);
}

TEST_F(kafka_reader_test, knows_a_topic_made_anew_and_longer_under_it) {
  open("id", std::chrono::milliseconds{0});
  publish(0, 10, R"({"id":)", "}");
  auto cursor = next(5).cursor;
  cursor = next(5, cursor).cursor;
  ASSERT_EQ(offset_in(cursor), 10);
  delete_topic();
  make_topic(1);
  sink = std::move(*open_kafka_sink(options));
  publish(20, 40, R"({"id":)", "}");
  const auto none = next_of_new(100, cursor);
  EXPECT_TRUE(none.records.empty());
  ASSERT_EQ(none.bad.size(), 1u);
  EXPECT_NE(none.bad[0].reason.find("it was made anew"), std::string::npos)
    << none.bad[0].reason;
  const auto all = next(100, none.cursor);
  EXPECT_EQ(bodies(all).size(), 20u);
  EXPECT_TRUE(next(100, all.cursor).bad.empty()) << "it is known by now";
}

TEST_F(kafka_reader_test, knows_records_without_a_value_again) {
  open("id", std::chrono::milliseconds{0});
  const outgoing_record tombstone{
    .topic = topic, .key = "k", .value = {}, .has_value = false};
  const auto error = sink->publish({tombstone, tombstone}, seconds{60});
  ASSERT_FALSE(error) << render(error);
  const auto first = next(1);
  const auto second = next(1, first.cursor);
  EXPECT_EQ(offset_in(next(1, second.cursor).cursor), 2);
}

TEST_F(kafka_reader_test, goes_on_though_the_last_it_read_is_gone) {
  publish(0, 10);
  const auto batch = next(5);
  kafka_admin{options.brokers}.delete_records(topic, 0, 5);
  open();
  const auto rest = next(100, batch.cursor);
  EXPECT_EQ(rest.records.size(), 5u);
  EXPECT_TRUE(rest.bad.empty());
}

TEST_F(kafka_reader_test, goes_on_from_cursors_of_earlier_versions) {
  publish(0, 10);
  EXPECT_EQ(bodies(next(100, R"({"0":7})")),
            (std::set<std::string>{"7", "8", "9"}));
}

TEST_F(kafka_reader_test, a_topic_that_is_not_there_is_not_found) {
  topic = "no-such-topic";
  open();
  const auto out = reader->next_batch({1, {}, seconds{60}});
  ASSERT_FALSE(out);
  EXPECT_EQ(out.error(), ec::not_found) << render(out.error());
}

TEST(a_kafka_reader, returns_soon_when_it_is_cancelled_whoever_is_silent) {
  silent_broker broker;
  kafka_options options;
  options.brokers = broker.address();
  auto made =
    make_kafka_reader("src", settings_for("any"), context_for(options));
  ASSERT_TRUE(made) << render(made.error());
  auto& reader = **made;
  const auto begun = test_clock::now();
  auto waiting = std::async(std::launch::async, [&reader] {
    return reader.next_batch({1, {}, std::chrono::minutes{5}});
  });
  broker.await_connection(); // the call is under way
  reader.cancel();
  const auto out = waiting.get();
  ASSERT_FALSE(out);
  EXPECT_EQ(out.error(), ec::store_failed);
  EXPECT_LT(test_clock::now() - begun, std::chrono::minutes{2});
}

TEST(a_kafka_reader, is_not_held_up_longer_than_its_time_by_a_silent_broker) {
  const silent_broker broker;
  kafka_options options;
  options.brokers = broker.address();
  auto made =
    make_kafka_reader("src", settings_for("any"), context_for(options));
  ASSERT_TRUE(made) << render(made.error());
  const auto out = (*made)->next_batch({1, {}, seconds{1}});
  ASSERT_FALSE(out);
  EXPECT_EQ(out.error(), ec::store_failed);
}

TEST(a_kafka_reader, has_the_brokers_of_the_log_if_it_names_none) {
  auto x = settings_for("any");
  const auto none = make_kafka_reader("src", x, context_for({}));
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error(), ec::bad_setting);
  EXPECT_TRUE(
    make_kafka_reader("src", x, context_for({.brokers = "127.0.0.1:1"})));
  x.from.brokers = "127.0.0.1:1";
  EXPECT_TRUE(make_kafka_reader("src", x, context_for({})))
    << "nothing is touched yet";
}

TEST(a_kafka_reader, refuses_a_cursor_of_another_kind) {
  auto made = make_kafka_reader("src", settings_for("any"),
                                context_for({.brokers = "127.0.0.1:1"}));
  ASSERT_TRUE(made);
  const auto out = (*made)->next_batch({1, "17", seconds{1}});
  ASSERT_FALSE(out);
  EXPECT_EQ(out.error(), ec::malformed);
}

// A question for each partition would take 15 s and more.
TEST(kafka_reader_far_away, reads_many_partitions) {
  char why[256];
  auto* conf = rd_kafka_conf_new();
  rd_kafka_conf_set(conf, "test.mock.num.brokers", "1", why, sizeof why);
  auto* host = rd_kafka_new(RD_KAFKA_PRODUCER, conf, why, sizeof why);
  ASSERT_NE(host, nullptr);
  auto* cluster = rd_kafka_handle_mock_cluster(host);
  rd_kafka_mock_topic_create(cluster, "many", 300, 1);
  const kafka_options there{
    .brokers = rd_kafka_mock_cluster_bootstraps(cluster)};
  {
    const auto sink = std::move(*open_kafka_sink(there));
    EXPECT_FALSE(sink->publish(
      {{.topic = "many", .key = "a", .value = "1"},
       {.topic = "many", .key = "b", .value = "2"}},
      seconds{60}));
    rd_kafka_mock_broker_set_rtt(cluster, -1, 50);
    auto made =
      make_kafka_reader("src", settings_for("many"), context_for(there));
    ASSERT_TRUE(made) << render(made.error());
    const auto out = (*made)->next_batch({100, {}, seconds{10}});
    ASSERT_TRUE(out) << render(out.error());
    EXPECT_EQ(out->records.size(), 2U);
  }
  rd_kafka_destroy(host);
}

} // namespace depositd::sources
