// What happens to us when brokers stop, die, refuse or forget.

#include "adapters/logs/kafka/record_log.hpp"
#include "adapters/logs/kafka/records.hpp"
#include "adapters/logs/kafka/topics.hpp"
#include "tests/support/kafka_admin.hpp"
#include "tests/support/kafka_server.hpp"

#include <chrono>
#include <set>
#include <thread>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace depositd {

namespace {

using clock = std::chrono::steady_clock;
using std::chrono::milliseconds;
using std::chrono::seconds;

class kafka_faults : public ::testing::Test {
protected:
  void SetUp() override {
    if (!kafka_installed())
      GTEST_SKIP();
    options.brokers = shared_kafka().address();
    static int topics = 0;
    topic = "faults-" + std::to_string(++topics);
    const auto made
      = make_kafka_topics(options, {{.name = topic, .partitions = 1}});
    ASSERT_TRUE(made) << render(made.error());
    sink = std::move(*open_kafka_sink(options));
    source = std::move(*open_kafka_source(options, topic));
  }

  std::vector<outgoing_record> numbers(int from, int to) const {
    std::vector<outgoing_record> out;
    for (int i = from; i < to; ++i)
      out.push_back({.topic = topic, .key = "k", .value = std::to_string(i)});
    return out;
  }

  /// As a publisher does: again and again.
  void publish(const std::vector<outgoing_record>& batch) {
    const auto end = clock::now() + seconds{180};
    caf::error error;
    do {
      error = sink->publish(batch, seconds{5});
    } while (error && clock::now() < end);
    ASSERT_FALSE(error) << render(error);
  }

  std::vector<std::string> read(std::size_t count) {
    std::vector<std::string> out;
    const auto end = clock::now() + seconds{60};
    while (out.size() < count && clock::now() < end) {
      const auto some = source->poll({});
      EXPECT_TRUE(some) << render(some.error());
      if (!some)
        break;
      for (const auto& x : *some)
        out.push_back(x.value);
    }
    return out;
  }

  /// As readers of the topic do, who know what they have seen.
  std::vector<std::string> without_repetitions(std::size_t count) {
    std::vector<std::string> out;
    std::set<std::string> seen;
    const auto end = clock::now() + seconds{60};
    while (out.size() < count && clock::now() < end) {
      const auto some = source->poll({});
      EXPECT_TRUE(some) << render(some.error());
      if (!some)
        break;
      for (const auto& x : *some)
        if (seen.insert(x.headers.empty() ? x.value : x.headers[0].value)
              .second)
          out.push_back(x.value);
    }
    return out;
  }

  kafka_options options{.timeout_ms = 20'000};
  std::string topic;
  std::unique_ptr<record_sink> sink;
  std::unique_ptr<record_source> source;
};

} // namespace

TEST_F(kafka_faults, a_stopped_broker_is_waited_for_and_found_again) {
  publish(numbers(0, 3));
  ASSERT_FALSE(source->assign({{0, 0}}));
  EXPECT_EQ(read(3).size(), 3U);
  shared_kafka().stop();
  const auto before = clock::now();
  EXPECT_EQ(sink->publish(numbers(3, 5), seconds{2}), ec::store_failed);
  EXPECT_LT(clock::now() - before, seconds{30});
  EXPECT_NE(sink->trouble(), "");
  while (source->trouble().empty() && clock::now() - before < seconds{60}) {
    const auto none = source->poll({});
    ASSERT_TRUE(none) << render(none.error());
    ASSERT_TRUE(none->empty());
  }
  EXPECT_NE(source->trouble(), "");
  shared_kafka().start();
  publish(numbers(3, 5));
  EXPECT_EQ(sink->trouble(), "");
  EXPECT_EQ(read(2), (std::vector<std::string>{"3", "4"}));
  EXPECT_EQ(source->trouble(), "");
}

TEST_F(kafka_faults, trouble_ends_although_nothing_comes) {
  ASSERT_FALSE(source->assign({{0, 0}}));
  const auto poll_until = [&](bool troubled) {
    const auto end = clock::now() + seconds{60};
    while (source->trouble().empty() == troubled && clock::now() < end)
      ASSERT_TRUE(source->poll({}));
    EXPECT_EQ(source->trouble().empty(), !troubled);
  };
  shared_kafka().kill();
  poll_until(true);
  shared_kafka().start();
  poll_until(false);
}

TEST_F(kafka_faults, a_transaction_that_stays_open_is_told_until_it_ends) {
  options.settings = {{"statistics.interval.ms", "100"}};
  source = std::move(*open_kafka_source(options, topic));
  publish(numbers(0, 1));
  ASSERT_FALSE(source->assign({{0, 0}}));
  EXPECT_EQ(read(1).size(), 1U);
  open_transaction open{options.brokers, topic};
  ASSERT_TRUE(open.begun());
  publish(numbers(1, 2));
  const auto poll_until = [&](bool troubled) {
    const auto end = clock::now() + seconds{60};
    std::size_t came = 0;
    while (source->trouble().empty() == troubled && clock::now() < end) {
      const auto some = source->poll({});
      EXPECT_TRUE(some) << render(some.error());
      came += some ? some->size() : 0;
    }
    EXPECT_EQ(source->trouble().empty(), !troubled);
    return came;
  };
  EXPECT_EQ(poll_until(true), 0U);
  EXPECT_EQ(source->trouble(),
            topic
              + "/0 shows nothing from offset 1 on: a producer keeps a "
                "transaction open there");
  EXPECT_GT(source->known_end(0), 1) << "the metrics see that it is behind";
  ASSERT_TRUE(open.abort());
  const auto came = poll_until(false);
  EXPECT_EQ(came + read(1 - came).size(), 1U);
}

TEST_F(kafka_faults, nothing_acknowledged_is_lost_when_a_broker_is_killed) {
  constexpr int batches = 60;
  std::thread killer{[] {
    for (int i = 0; i < 2; ++i) {
      shared_kafka().kill();
      shared_kafka().start();
    }
  }};
  for (int i = 0; i < batches; ++i)
    publish(numbers(i * 100, i * 100 + 100));
  killer.join();
  const auto range = source->range(0);
  ASSERT_TRUE(range);
  ASSERT_FALSE(source->assign({{0, 0}}));
  const auto all = read(static_cast<std::size_t>(range->high));
  EXPECT_EQ(all.size(), static_cast<std::size_t>(range->high));
  // Repetitions are allowed; what is new comes in its order.
  int next = 0;
  for (const auto& x : all)
    next += std::stoi(x) == next ? 1 : 0;
  EXPECT_EQ(next, batches * 100);
}

TEST_F(kafka_faults, a_position_in_another_log_is_refused) {
  publish(numbers(0, 10));
  ASSERT_FALSE(source->assign({{0, 10}}));
  kafka_admin{options.brokers}.delete_topic(topic);
  const auto end = clock::now() + seconds{60};
  while (source->partitions() && clock::now() < end) {
  }
  ASSERT_TRUE(make_kafka_topics(options, {{.name = topic, .partitions = 1}}));
  // Until the reader has heard of the new topic.
  caf::error error;
  do {
    error = source->assign({{0, 10}});
  } while (error == ec::not_found && clock::now() < end);
  EXPECT_EQ(error, ec::store_damaged) << render(error);
}

TEST_F(kafka_faults, what_is_larger_than_a_client_takes_is_told) {
  options.settings = {{"message.max.bytes", "500000"},
                      {"fetch.max.bytes", "500000"},
                      {"receive.message.max.bytes", "600000"}};
  source = std::move(*open_kafka_source(options, topic));
  publish({{.topic = topic, .key = "k", .value = std::string(800'000, 'x')}});
  ASSERT_FALSE(source->assign({{0, 0}}));
  const auto is_told = [&] {
    const auto some = source->poll({.wait = milliseconds{1'100}});
    EXPECT_TRUE(some && some->empty());
    return source->trouble().find("increase receive.message.max.bytes")
           != std::string::npos;
  };
  const auto end = clock::now() + seconds{60};
  while (!is_told() && clock::now() < end) {
  }
  EXPECT_TRUE(is_told() && is_told()) << "though brokers answer";
}

TEST_F(kafka_faults, options_that_are_wrong_are_named) {
  options.settings = {{"security.protocl", "SSL"}};
  const auto unknown = open_kafka_sink(options);
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error(), ec::bad_setting);
  EXPECT_NE(render(unknown.error()).find("security.protocl"),
            std::string::npos);
  options.settings = {{"security.protocol", "SSL"},
                      {"ssl.ca.location", "/nowhere/ca.pem"}};
  EXPECT_EQ(open_kafka_source(options, topic).error(), ec::bad_setting);
}

TEST_F(kafka_faults, topics_are_made_once_with_what_they_are_for) {
  const auto name = topic + ".";
  const auto wishes
    = wished_topics(name + "in", name + "out", name + "dead", 3);
  const auto first = make_kafka_topics(options, wishes);
  ASSERT_TRUE(first) << render(first.error());
  for (const auto& x : first->topics) {
    EXPECT_FALSE(x.existed);
    EXPECT_EQ(x.partitions, 3U);
  }
  const auto again = make_kafka_topics(
    options, wished_topics(name + "in", name + "new", name + "dead", 5));
  ASSERT_TRUE(again) << render(again.error());
  ASSERT_EQ(again->topics.size(), 3U);
  EXPECT_TRUE(again->topics[0].existed);
  EXPECT_EQ(again->topics[0].partitions, 3U);
  EXPECT_FALSE(again->topics[1].existed);
  EXPECT_EQ(again->topics[1].partitions, 5U);
  kafka_admin admin{options.brokers};
  const std::string day = "86400000";
  EXPECT_EQ(admin.setting(name + "in", "cleanup.policy"), "delete");
  EXPECT_EQ(admin.setting(name + "in", "retention.ms"), "604800000");
  EXPECT_EQ(admin.setting(name + "out", "retention.ms"), "604800000");
  EXPECT_EQ(admin.setting(name + "dead", "retention.ms"), "2592000000");
  EXPECT_EQ(admin.setting(name + "dead", "max.message.bytes"), "1600000");
}

TEST_F(kafka_faults, topics_that_are_compacted_are_named) {
  const auto name = topic + ".";
  ASSERT_TRUE(make_kafka_topics(
    options, wished_topics(name + "in", name + "out", name + "dead", 1)));
  kafka_admin admin{options.brokers};
  admin.set(name + "in", "cleanup.policy", "compact,delete");
  while (admin.setting(name + "in", "cleanup.policy") == "delete") {
    // the broker has not heard of it yet
  }
  const auto found = compacted_topics(
    options, {name + "out", name + "in", name + "none"},
    std::chrono::steady_clock::now() + std::chrono::seconds{30});
  ASSERT_TRUE(found) << render(found.error());
  EXPECT_EQ(*found, std::vector<std::string>{name + "in"});
}

TEST_F(kafka_faults, topics_with_impossible_names_are_refused) {
  EXPECT_FALSE(make_kafka_topics(options, {{.name = "a b"}}));
}

TEST_F(kafka_faults, what_a_topic_never_takes_is_not_tried_again_at_once) {
  const auto small = topic + ".small";
  ASSERT_TRUE(make_kafka_topics(
    options, {{.name = small, .partitions = 1, .record_bytes_max = 2'000}}));
  const std::string large(5'000, 'x');
  publish({{.topic = small, .key = large, .value = "v"}});
  EXPECT_EQ(sink->publish({{.topic = topic, .key = "k", .value = "0"},
                           {.topic = small, .headers = {{"large", large}}},
                           {.topic = topic, .key = "k", .value = "1"}},
                          seconds{5}),
            ec::store_failed);
  EXPECT_NE(sink->trouble().find(small), std::string::npos) << sink->trouble();
  const auto range = source->range(0);
  ASSERT_TRUE(range);
  EXPECT_LE(range->high, 2);
}

TEST_F(kafka_faults, a_large_outcome_is_told_without_its_document) {
  const auto small = topic + ".small";
  ASSERT_TRUE(make_kafka_topics(
    options, {{.name = small, .partitions = 1, .record_bytes_max = 2'000}}));
  source = std::move(*open_kafka_source(options, small));
  ASSERT_FALSE(source->assign({{0, 0}}));
  const auto format =
    make_record_format({.egress_topic = small, .dead_letter_topic = small});
  outcome_event x;
  x.event_id = "0:1:2";
  x.user = "amelie";
  x.submission.file_name = "a.xml";
  x.document = std::string(5'000, 'x');
  const auto outcome = format.write_outcome(x);
  // What was handed in may look the same.
  const auto letter = format.write_dead_letter(
    {"3:9", {.partition = "in/0", .key = "amelie", .value = outcome.value}});
  auto traced = x;
  traced.submission.trace =
    "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  publish({outcome, letter, format.write_outcome(traced)});
  const auto out = read(3);
  ASSERT_EQ(out.size(), 3u);
  for (const auto& value : {out[0], out[2]}) {
    const auto told = nlohmann::json::parse(value, nullptr, false);
    ASSERT_TRUE(told.is_object()) << value;
    EXPECT_EQ(told["id"], "a.xml");
    EXPECT_EQ(told["outcome"], "done");
    EXPECT_EQ(told["document_omitted_bytes"], 5'000);
    EXPECT_FALSE(told.contains("document"));
  }
  EXPECT_EQ(out[1], "");
}

TEST_F(kafka_faults, what_is_too_large_keeps_its_place_among_its_key) {
  ASSERT_FALSE(source->assign({{0, 0}}));
  auto batch = numbers(0, 7);
  for (const auto i : {1U, 4U})
    batch[i].headers = {{"event-id", std::to_string(i)}};
  batch[1].value.assign(1'500'000, 'x'); // the broker does not take it
  batch[4].value.assign(2'500'000, 'x'); // nor the client
  publish(batch);
  EXPECT_EQ(without_repetitions(7),
            (std::vector<std::string>{"0", "", "2", "3", "", "5", "6"}));
}

TEST_F(kafka_faults, batches_that_are_too_large_keep_the_order_of_a_key) {
  const auto small = topic + ".small";
  ASSERT_TRUE(make_kafka_topics(
    options, {{.name = small, .partitions = 1, .record_bytes_max = 300'000}}));
  source = std::move(*open_kafka_source(options, small));
  ASSERT_FALSE(source->assign({{0, 0}}));
  std::vector<outgoing_record> batch;
  std::vector<std::string> values;
  for (int i = 100; i < 350; ++i) {
    values.push_back(std::to_string(i) + std::string(10'000, 'x'));
    batch.push_back({.topic = small, .key = "k", .value = values.back()});
  }
  const auto error = sink->publish(batch, seconds{120});
  ASSERT_FALSE(error) << render(error);
  EXPECT_TRUE(without_repetitions(values.size()) == values);
}

} // namespace depositd
