// What brokers rarely do, from librdkafka's mock broker.

#include "adapters/logs/kafka/record_log.hpp"

#include <librdkafka/rdkafka_mock.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

namespace depositd {

namespace {

using std::chrono::seconds;

class kafka_producer : public ::testing::Test {
protected:
  void SetUp() override {
    auto* conf = rd_kafka_conf_new();
    char why[256];
    rd_kafka_conf_set(conf, "test.mock.num.brokers", "1", why, sizeof why);
    host = rd_kafka_new(RD_KAFKA_PRODUCER, conf, why, sizeof why);
    ASSERT_NE(host, nullptr);
    cluster = rd_kafka_handle_mock_cluster(host);
    rd_kafka_mock_topic_create(cluster, "t", 1, 1);
    rd_kafka_mock_topic_create(cluster, "many", 300, 1);
    sink = std::move(*open_kafka_sink(
      {.brokers = rd_kafka_mock_cluster_bootstraps(cluster)}));
  }

  void TearDown() override {
    sink.reset();
    rd_kafka_destroy(host);
  }

  std::int64_t written() {
    const auto source = std::move(*open_kafka_source(
      {.brokers = rd_kafka_mock_cluster_bootstraps(cluster)}, "t"));
    const auto range = source->range(0);
    EXPECT_TRUE(range);
    return range ? range->high : 0;
  }

  rd_kafka_t* host = nullptr;
  rd_kafka_mock_cluster_t* cluster = nullptr;
  std::unique_ptr<record_sink> sink;
  const std::vector<outgoing_record> batch{
    {.topic = "t", .key = "k", .value = "1"},
    {.topic = "t", .key = "k", .value = "2"}};
};

} // namespace

TEST_F(kafka_producer, a_producer_that_broke_is_replaced) {
  EXPECT_FALSE(sink->publish(batch, seconds{20}));
  rd_kafka_mock_push_request_errors(
    cluster, 0 /* Produce */, 1,
    RD_KAFKA_RESP_ERR_OUT_OF_ORDER_SEQUENCE_NUMBER);
  const auto error = sink->publish(batch, seconds{20});
  EXPECT_FALSE(error) << render(error);
  EXPECT_EQ(sink->trouble(), "");
  EXPECT_GE(written(), 4);
}

TEST_F(kafka_producer, may_do_without_idempotence) {
  auto other = open_kafka_sink(
    {.brokers = rd_kafka_mock_cluster_bootstraps(cluster),
     .settings = {{"enable.idempotence", "false"}}});
  ASSERT_TRUE(other) << render(other.error());
  EXPECT_FALSE((*other)->publish(batch, seconds{20}));
}

TEST_F(kafka_producer, a_topic_that_is_not_ours_is_told_of_and_not_tried) {
  EXPECT_FALSE(sink->publish(batch, seconds{20}));
  rd_kafka_mock_push_request_errors(
    cluster, 0 /* Produce */, 1,
    RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED);
  EXPECT_EQ(sink->publish(batch, seconds{20}), ec::store_failed);
  EXPECT_NE(sink->trouble().find("authorization"), std::string::npos)
    << sink->trouble();
  const auto error = sink->publish(batch, seconds{20});
  EXPECT_FALSE(error) << render(error);
}

// A question for each of them would take 15 s and more.
TEST_F(kafka_producer, many_partitions_are_read_over_a_slow_line) {
  rd_kafka_mock_broker_set_rtt(cluster, -1, 50);
  const auto source = std::move(*open_kafka_source(
    {.brokers = rd_kafka_mock_cluster_bootstraps(cluster)}, "many"));
  std::vector<partition_position> all;
  for (std::int32_t i = 0; i < 300; ++i)
    all.push_back({i, i % 2 == 0 ? from_oldest : 0});
  const auto error = source->assign(all);
  EXPECT_FALSE(error) << render(error);
  EXPECT_EQ(source->shown_to(298), 0);
  all.back().next = 1;
  EXPECT_EQ(source->assign(all), ec::store_damaged);
  all.push_back({300, 0});
  EXPECT_EQ(source->assign(all), ec::not_found);
}

} // namespace depositd
