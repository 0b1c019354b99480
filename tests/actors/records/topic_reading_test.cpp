// What an intake does while it reads a topic, or cannot.

#include "tests/actors/records/record_log_fixture.hpp"
#include "tests/support/captured_log.hpp"
#include "tests/support/passing_source.hpp"

#include <memory>

namespace depositd {

namespace {

using namespace std::chrono_literals;
using texts = std::multiset<std::string>;

/// The topic is read by a `Source`, which shares a value with the test.
template <class Source, class Value>
class read_topic_test : public testing::record_log_fixture {
protected:
  std::shared_ptr<record_source> open_source() override {
    return std::make_shared<Source>(open_memory_source(topics, "in"), value);
  }

  std::uint64_t accepted() {
    const auto report = ask<intake_report>(reader_of_topic, report_intake{});
    EXPECT_TRUE(report);
    return report ? report->accepted : 0;
  }

  const std::shared_ptr<Value> value = std::make_shared<Value>();
};

/// Of its partitions only so many are there.
class growing_source final : public testing::passing_source {
public:
  growing_source(std::unique_ptr<record_source> of,
                 std::shared_ptr<std::int32_t> count)
    : passing_source(std::move(of)), count_(std::move(count)) {
    // nop
  }

  caf::expected<std::int32_t> partitions() override {
    return *count_;
  }

private:
  std::shared_ptr<std::int32_t> count_;
};

class growing_topic_test
  : public read_topic_test<growing_source, std::int32_t> {};

TEST_F(growing_topic_test, partitions_that_are_added_are_read) {
  *value = 1;
  start_all();
  write("ann metadata one x");
  write("bob metadata two x", 1);
  pass();
  EXPECT_EQ(accepted(), 1u);
  *value = 2;
  pass(60s);
  pass();
  EXPECT_EQ(accepted(), 2u);
  write("ann metadata three x");
  write("bob metadata four x", 1);
  pass();
  process_all();
  EXPECT_EQ(values(read_out("out")),
            (texts{"one done", "two done", "three done", "four done"}));
}

TEST_F(growing_topic_test, is_read_by_who_had_nothing_of_it) {
  *value = 0;
  start_all();
  write("ann metadata one x");
  pass();
  EXPECT_EQ(accepted(), 0u);
  *value = 2;
  pass(60s);
  pass();
  EXPECT_EQ(accepted(), 1u);
}

/// To ask for each of very many partitions takes too long on a slow line.
class unasked_source final : public testing::passing_source {
public:
  using passing_source::passing_source;

  caf::expected<partition_range> range(std::int32_t) override {
    ADD_FAILURE() << "one partition was asked for";
    return partition_range{};
  }
};

class unread_topic_test : public testing::record_log_fixture {
protected:
  std::shared_ptr<record_source> open_source() override {
    return std::make_shared<unasked_source>(open_memory_source(topics, "in"));
  }
};

TEST_F(unread_topic_test, begins_with_what_is_there) {
  for (const auto* name : {"one", "two", "three"})
    write("ann metadata " + std::string{name} + " x", 1);
  trim_memory_partition(*topics, "in", 1, 3);
  start_all();
  const auto report = ask<intake_report>(reader_of_topic, report_intake{});
  ASSERT_TRUE(report);
  ASSERT_EQ(report->partitions.size(), 2u);
  EXPECT_EQ(report->partitions[0].next, 0);
  EXPECT_EQ(report->partitions[1].next, 3);
}

/// Counts how often it is read.
class counted_source final : public testing::passing_source {
public:
  counted_source(std::unique_ptr<record_source> of, std::shared_ptr<int> count)
    : passing_source(std::move(of)), count_(std::move(count)) {
    // nop
  }

  caf::expected<std::vector<source_record>>
  poll(const read_limits& limits) override {
    ++*count_;
    return passing_source::poll(limits);
  }

private:
  std::shared_ptr<int> count_;
};

class idle_topic_test : public read_topic_test<counted_source, int> {
protected:
  /// While nothing comes.
  int reads() {
    *value = 0;
    for (int i = 0; i < 5; ++i)
      pass();
    return *value;
  }
};

TEST_F(idle_topic_test, is_read_no_oftener_for_what_has_come) {
  start_all();
  pass();
  const auto before = reads();
  EXPECT_GT(before, 0);
  for (int i = 0; i < 10; ++i) {
    write(line_of(i));
    pass();
  }
  EXPECT_EQ(reads(), before);
}

/// One of its partitions has no leader for a while.
class leaderless_source final : public testing::passing_source {
public:
  leaderless_source(std::unique_ptr<record_source> of,
                    std::shared_ptr<bool> has_leader)
    : passing_source(std::move(of)), has_leader_(std::move(has_leader)) {
    // nop
  }

  caf::error assign(const std::vector<partition_position>& at) override {
    if (!*has_leader_)
      return caf::make_error(ec::store_failed,
                             std::string{"in/1: leader not available"});
    return passing_source::assign(at);
  }

private:
  std::shared_ptr<bool> has_leader_;
};

class leaderless_topic_test : public read_topic_test<leaderless_source, bool> {
};

TEST_F(leaderless_topic_test, is_waited_for_and_not_called_stopped) {
  const testing::captured_log log;
  start_all();
  for (int i = 0; i < 20; ++i)
    pass(2s);
  EXPECT_EQ(log.count("intake_stopped"), 0u) << log.text();
  EXPECT_EQ(log.count("intake_waits topic=in reason=\"in/1: leader"), 1u)
    << log.text();
  write("ann metadata one x");
  *value = true;
  pass(2s);
  EXPECT_EQ(accepted(), 1u);
}

} // namespace

} // namespace depositd
