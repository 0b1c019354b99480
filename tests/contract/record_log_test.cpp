// Logs of records: in memory, and on a Kafka that this program starts.

#include "tests/contract/record_log_suite.hpp"

#include "adapters/logs/kafka/record_log.hpp"
#include "adapters/logs/kafka/topics.hpp"
#include "tests/support/kafka_admin.hpp"
#include "tests/support/kafka_server.hpp"
#include "tests/support/memory_record_log.hpp"

namespace depositd {

namespace {

class memory_driver final : public record_log_driver {
public:
  std::unique_ptr<record_source> source(const std::string& topic) override {
    return open_memory_source(log_, topic);
  }

  std::unique_ptr<log_identity> identity(const std::string& topic) override {
    return open_memory_identity(log_, topic);
  }

  std::unique_ptr<record_sink> sink() override {
    return open_memory_sink(log_);
  }

  std::string topic(std::int32_t partitions) override {
    const auto name = "topic-" + std::to_string(++topics_);
    create_memory_topic(*log_, name, partitions);
    return name;
  }

  bool abort_one(const std::string& topic) override {
    append_memory_mark(*log_, topic, 0);
    return true;
  }

  void delete_below(const std::string& topic, std::int32_t partition,
                    std::int64_t offset) override {
    trim_memory_partition(*log_, topic, partition, offset);
  }

private:
  std::shared_ptr<memory_record_log> log_ = make_memory_record_log();
  int topics_ = 0;
};

class kafka_driver final : public record_log_driver {
public:
  std::unique_ptr<record_source> source(const std::string& topic) override {
    auto out = open_kafka_source(options_, topic);
    EXPECT_TRUE(out) << render(out.error());
    return out ? std::move(*out) : nullptr;
  }

  std::unique_ptr<log_identity> identity(const std::string& topic) override {
    return open_kafka_identity(options_, topic);
  }

  std::unique_ptr<record_sink> sink() override {
    auto out = open_kafka_sink(options_);
    EXPECT_TRUE(out) << render(out.error());
    return out ? std::move(*out) : nullptr;
  }

  std::string topic(std::int32_t partitions) override {
    static int topics = 0;
    const auto name = "topic-" + std::to_string(++topics);
    const auto made
      = make_kafka_topics(options_, {{.name = name, .partitions = partitions}});
    EXPECT_TRUE(made) << render(made.error());
    return name;
  }

  bool abort_one(const std::string& topic) override {
    return abort_a_record(options_.brokers, topic);
  }

  void delete_below(const std::string& topic, std::int32_t partition,
                    std::int64_t offset) override {
    kafka_admin{options_.brokers}.delete_records(topic, partition, offset);
  }

private:
  kafka_options options_{.brokers = shared_kafka().address(),
                         .timeout_ms = 20'000};
};

std::vector<record_log_candidate> kafka_candidates() {
  if (!kafka_installed())
    return {};
  return {{"kafka", [] { return std::make_unique<kafka_driver>(); }}};
}

} // namespace

INSTANTIATE_TEST_SUITE_P(
  all, record_log_suite,
  ::testing::Values(record_log_candidate{
    "memory", [] { return std::make_unique<memory_driver>(); }}),
  [](const auto& x) { return x.param.name; });

INSTANTIATE_TEST_SUITE_P(server, record_log_suite,
                         ::testing::ValuesIn(kafka_candidates()),
                         [](const auto& x) { return x.param.name; });

} // namespace depositd
