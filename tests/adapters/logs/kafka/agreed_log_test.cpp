#include "adapters/logs/kafka/agreed_log.hpp"

#include <gtest/gtest.h>

namespace depositd {

namespace {

class source_of_nothing final : public record_source {
public:
  explicit source_of_nothing(int& assigned) : assigned_(assigned) {
    // nop
  }

  caf::expected<std::int32_t> partitions() override {
    return 1;
  }

  caf::expected<partition_range> range(std::int32_t) override {
    return partition_range{};
  }

  std::int64_t known_end(std::int32_t) override {
    return -1;
  }

  caf::error assign(const std::vector<partition_position>&) override {
    ++assigned_;
    return {};
  }

  caf::expected<std::vector<source_record>> poll(const read_limits&) override {
    return std::vector<source_record>{};
  }

  std::int64_t shown_to(std::int32_t) const override {
    return 0;
  }

  std::string trouble() const override {
    return {};
  }

private:
  int& assigned_;
};

class sink_to_nothing final : public record_sink {
public:
  explicit sink_to_nothing(int& written) : written_(written) {
    // nop
  }

  caf::error publish(const std::vector<outgoing_record>&,
                     std::chrono::milliseconds) override {
    ++written_;
    return {};
  }

  std::string trouble() const override {
    return {};
  }

private:
  int& written_;
};

/// Another cluster at first, then silence, then the right one.
struct asked_three_times {
  int& times;

  caf::error operator()() const {
    ++times;
    if (times == 1)
      return caf::make_error(ec::bad_setting, std::string{"another cluster"});
    if (times == 2)
      return caf::make_error(ec::store_failed, std::string{"no broker"});
    return {};
  }
};

} // namespace

TEST(agreed_logs, are_read_once_they_are_those_of_the_store) {
  int times = 0;
  int assigned = 0;
  const auto log = agreed_first(
    std::make_unique<source_of_nothing>(assigned), asked_three_times{times});
  EXPECT_EQ(log->assign({}), ec::bad_setting);
  EXPECT_EQ(log->assign({}), ec::store_failed);
  EXPECT_EQ(assigned, 0);
  EXPECT_FALSE(log->assign({}));
  EXPECT_FALSE(log->assign({}));
  EXPECT_EQ(assigned, 2);
  EXPECT_EQ(times, 3) << "that is settled";
}

TEST(agreed_logs, are_written_once_they_are_those_of_the_store) {
  int times = 0;
  int written = 0;
  const auto log = agreed_first(
    std::make_unique<sink_to_nothing>(written), asked_three_times{times});
  const std::chrono::milliseconds wait{1};
  EXPECT_EQ(log->publish({}, wait), ec::bad_setting);
  EXPECT_EQ(log->publish({}, wait), ec::store_failed);
  EXPECT_EQ(written, 0);
  EXPECT_FALSE(log->publish({}, wait));
  EXPECT_FALSE(log->publish({}, wait));
  EXPECT_EQ(written, 2);
  EXPECT_EQ(times, 3) << "that is settled";
}

} // namespace depositd
