#pragma once

// What every log of records must do.

#include "messages/ports/log_identity.hpp"
#include "messages/ports/record_log.hpp"
#include "messages/values/record_mark.hpp"

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace depositd {

/// The brokers' side.
class record_log_driver {
public:
  virtual ~record_log_driver() = default;

  virtual std::unique_ptr<record_source> source(const std::string& topic) = 0;
  virtual std::unique_ptr<log_identity> identity(const std::string& topic) = 0;
  virtual std::unique_ptr<record_sink> sink() = 0;

  /// Makes a topic, whose name it chooses.
  virtual std::string topic(std::int32_t partitions) = 0;

  /// Writes a record in a transaction and aborts it; whether it can.
  virtual bool abort_one(const std::string& topic) = 0;

  virtual void delete_below(const std::string& topic, std::int32_t partition,
                            std::int64_t offset) = 0;
};

struct record_log_candidate {
  std::string name;
  std::function<std::unique_ptr<record_log_driver>()> make;
};

class record_log_suite : public ::testing::TestWithParam<record_log_candidate> {
protected:
  using records = std::vector<source_record>;

  void SetUp() override {
    driver = GetParam().make();
    sink = driver->sink();
    ASSERT_NE(sink, nullptr);
  }

  /// A topic, and a source for it that nothing is assigned to.
  void use_topic(std::int32_t partitions) {
    topic = driver->topic(partitions);
    source = driver->source(topic);
    ASSERT_NE(source, nullptr);
  }

  void publish(const std::vector<outgoing_record>& batch) {
    const auto error = sink->publish(batch, std::chrono::seconds{30});
    ASSERT_FALSE(error) << render(error);
  }

  /// `count` records of one key: "0", "1", ...
  void publish_numbers(int count, const std::string& key = "k") {
    std::vector<outgoing_record> batch;
    for (int i = 0; i < count; ++i)
      batch.push_back({.topic = topic, .key = key, .value = std::to_string(i)});
    publish(batch);
  }

  void assign(const std::vector<partition_position>& positions) {
    const auto error = source->assign(positions);
    ASSERT_FALSE(error) << render(error);
  }

  /// Polls until there are as many, or for too long.
  records read(std::size_t count, read_limits limits = {}) {
    records out;
    const auto end =
      std::chrono::steady_clock::now() + std::chrono::minutes{2};
    while (out.size() < count && std::chrono::steady_clock::now() < end) {
      const auto some = source->poll(limits);
      EXPECT_TRUE(some) << render(some.error());
      if (!some)
        break;
      out.insert(out.end(), some->begin(), some->end());
    }
    EXPECT_EQ(out.size(), count);
    return out;
  }

  /// That nothing more comes.
  void expect_silence() {
    const auto more = source->poll({.wait = std::chrono::milliseconds{300}});
    ASSERT_TRUE(more) << render(more.error());
    EXPECT_TRUE(more->empty());
  }

  static std::vector<std::string> values_of(const records& all) {
    std::vector<std::string> out;
    for (const auto& x : all)
      out.push_back(x.value);
    return out;
  }

  static std::vector<std::string> numbers(int from, int to) {
    std::vector<std::string> out;
    for (int i = from; i < to; ++i)
      out.push_back(std::to_string(i));
    return out;
  }

  std::unique_ptr<record_log_driver> driver;
  std::unique_ptr<record_sink> sink;
  std::unique_ptr<record_source> source;
  std::string topic;
};

TEST_P(record_log_suite, shows_a_record_as_it_was_written) {
  use_topic(1);
  const std::string bytes{"\0\xff\n\"{", 5};
  publish({{.topic = topic,
            .key = "user-1",
            .value = bytes,
            .headers = {{"event-id", "0:17"}, {"twice", ""}, {"twice", "x"}}},
           {.topic = topic, .key = "user-1", .value = ""},
           {.topic = topic, .value = "keyless"},
           {.topic = topic, .key = "user-1", .has_value = false}});
  assign({{0, 0}});
  const auto all = read(4);
  ASSERT_EQ(all.size(), 4U);
  EXPECT_EQ(all[0].key, "user-1");
  EXPECT_EQ(all[0].value, bytes);
  EXPECT_TRUE(all[0].has_value);
  EXPECT_EQ(all[0].headers,
            (std::vector<record_header>{
              {"event-id", "0:17"}, {"twice", ""}, {"twice", "x"}}));
  EXPECT_EQ(all[0].offset, 0);
  EXPECT_TRUE(all[1].has_value);
  EXPECT_EQ(all[1].value, "");
  EXPECT_EQ(all[2].key, "");
  EXPECT_FALSE(all[3].has_value);
  EXPECT_EQ(all[3].offset, 3);
}

TEST_P(record_log_suite, keeps_the_order_of_equal_keys) {
  use_topic(4);
  std::vector<outgoing_record> batch;
  for (int i = 0; i < 5'000; ++i)
    batch.push_back({.topic = topic,
                     .key = "user-" + std::to_string(i % 17),
                     .value = std::to_string(i)});
  publish(batch);
  assign({{0, 0}, {1, 0}, {2, 0}, {3, 0}});
  std::map<std::int32_t, std::int64_t> next;
  std::map<std::string, int> last;
  std::map<std::string, std::int32_t> where;
  for (const auto& x : read(5'000)) {
    EXPECT_EQ(x.offset, next[x.partition]++);
    const auto number = std::stoi(x.value);
    EXPECT_LE(last[x.key], number);
    last[x.key] = number;
    EXPECT_EQ(where.emplace(x.key, x.partition).first->second, x.partition);
  }
  EXPECT_EQ(last.size(), 17U);
  expect_silence();
}

TEST_P(record_log_suite, knows_partitions_and_what_they_hold) {
  use_topic(1);
  EXPECT_EQ(source->partitions(), 1);
  EXPECT_EQ(source->range(0), (partition_range{0, 0}));
  publish_numbers(7);
  EXPECT_EQ(source->range(0), (partition_range{0, 7}));
  driver->delete_below(topic, 0, 3);
  EXPECT_EQ(source->range(0), (partition_range{3, 7}));
  use_topic(5);
  EXPECT_EQ(source->partitions(), 5);
}

TEST_P(record_log_suite, knows_where_what_it_has_read_ends) {
  use_topic(1);
  publish_numbers(7);
  assign({{0, 3}});
  EXPECT_EQ(source->known_end(0), 7) << "nothing is read yet";
  read(4);
  EXPECT_EQ(source->known_end(0), 7);
  publish_numbers(2);
  read(2);
  EXPECT_EQ(source->known_end(0), 9);
}

TEST_P(record_log_suite, refuses_topics_that_do_not_exist) {
  source = driver->source("nowhere");
  ASSERT_NE(source, nullptr);
  EXPECT_EQ(source->partitions().error(), ec::not_found);
  EXPECT_EQ(source->range(0).error(), ec::not_found);
  EXPECT_EQ(source->assign({{0, 0}}), ec::not_found);
  EXPECT_EQ(sink->publish({{.topic = "nowhere", .value = "x"}},
                          std::chrono::seconds{20}),
            ec::not_found);
}

TEST_P(record_log_suite, reads_from_where_it_is_told) {
  use_topic(1);
  publish_numbers(10);
  assign({{0, 6}});
  EXPECT_EQ(values_of(read(4)), numbers(6, 10));
  assign({{0, 10}});
  expect_silence();
  publish_numbers(1, "late");
  EXPECT_EQ(values_of(read(1)), numbers(0, 1));
  assign({{0, 2}});
  EXPECT_EQ(values_of(read(9)).front(), "2");
  assign({{0, from_oldest}});
  EXPECT_EQ(values_of(read(11)).front(), "0");
  expect_silence();
}

TEST_P(record_log_suite, reads_only_what_is_assigned) {
  use_topic(3);
  std::vector<outgoing_record> batch;
  for (int i = 0; i < 300; ++i)
    batch.push_back({.topic = topic, .key = std::to_string(i), .value = "x"});
  publish(batch);
  const auto held = source->range(1);
  ASSERT_TRUE(held);
  ASSERT_GT(held->high, 0);
  expect_silence();
  assign({{1, 0}});
  for (const auto& x : read(static_cast<std::size_t>(held->high)))
    EXPECT_EQ(x.partition, 1);
  expect_silence();
  assign({});
  publish(batch);
  expect_silence();
}

TEST_P(record_log_suite, returns_no_more_than_it_is_told) {
  use_topic(1);
  publish_numbers(50);
  assign({{0, 0}});
  std::vector<std::string> all;
  while (all.size() < 50) {
    const auto some =
      source->poll({.records_max = 7, .wait = std::chrono::seconds{5}});
    ASSERT_TRUE(some);
    ASSERT_FALSE(some->empty());
    EXPECT_LE(some->size(), 7U);
    for (const auto& x : *some)
      all.push_back(x.value);
  }
  EXPECT_EQ(all, numbers(0, 50));
  const std::string large(10'000, 'x');
  publish({{.topic = topic, .value = large},
           {.topic = topic, .value = large},
           {.topic = topic, .value = large}});
  for (int i = 0; i < 3; ++i) {
    const auto one =
      source->poll({.bytes_max = 10'000, .wait = std::chrono::seconds{5}});
    ASSERT_TRUE(one);
    EXPECT_EQ(one->size(), 1U);
  }
}

TEST_P(record_log_suite, waits_no_longer_than_it_is_told) {
  use_topic(1);
  assign({{0, 0}});
  const auto before = std::chrono::steady_clock::now();
  const auto none = source->poll({.wait = std::chrono::milliseconds{200}});
  const auto took = std::chrono::steady_clock::now() - before;
  ASSERT_TRUE(none);
  EXPECT_TRUE(none->empty());
  EXPECT_GE(took, std::chrono::milliseconds{190});
  EXPECT_LT(took, std::chrono::seconds{30});
}

TEST_P(record_log_suite, says_that_records_were_deleted_before_they_were_read) {
  use_topic(1);
  publish_numbers(10);
  driver->delete_below(topic, 0, 4);
  EXPECT_EQ(source->assign({{0, 3}}), ec::not_found);
  assign({{0, 4}});
  EXPECT_EQ(values_of(read(6)), numbers(4, 10));
  assign({{0, from_oldest}});
  EXPECT_EQ(values_of(read(6)), numbers(4, 10));
}

TEST_P(record_log_suite, says_that_the_log_ends_before_the_position) {
  use_topic(1);
  publish_numbers(10);
  EXPECT_EQ(source->assign({{0, 11}}), ec::store_damaged);
  assign({{0, 10}});
  expect_silence();
}

TEST_P(record_log_suite, goes_past_what_is_no_record) {
  use_topic(1);
  publish_numbers(3);
  ASSERT_TRUE(driver->abort_one(topic));
  assign({{0, 0}});
  EXPECT_EQ(values_of(read(3)), numbers(0, 3));
  // A broker ends a transaction some time after it has said so.
  for (int i = 0; i < 100 && source->shown_to(0) == 3; ++i)
    expect_silence();
  const auto held = source->range(0);
  ASSERT_TRUE(held);
  EXPECT_GT(held->high, 3);
  EXPECT_EQ(source->shown_to(0), held->high);
}

TEST_P(record_log_suite, knows_a_log_by_what_was_read_of_it) {
  use_topic(2);
  publish_numbers(10);
  const auto is_in = [&](std::int32_t x) {
    const auto held = source->range(x);
    return held && held->high == 10;
  };
  const auto partition = is_in(0) ? 0 : 1;
  ASSERT_TRUE(is_in(partition));
  const auto identity = driver->identity(topic);
  const auto check = [&](std::vector<std::int64_t> marks) {
    std::vector<partition_mark> out;
    for (const auto x : marks)
      out.push_back({partition, x});
    return identity->check(out, std::chrono::seconds{20});
  };
  EXPECT_FALSE(check({}));
  EXPECT_FALSE(check({mark_of(0, "k", "0")}));
  EXPECT_FALSE(check({mark_of(9, "k", "9")}));
  EXPECT_EQ(check({mark_of(9, "k", "another")}), ec::store_damaged);
  EXPECT_EQ(check({mark_of(5, "j", "5")}), ec::store_damaged);
  // Nothing is known of what is gone, or not there yet.
  EXPECT_FALSE(identity->check({{1 - partition, mark_of(0, "k", "0")}},
                               std::chrono::seconds{20}));
  driver->delete_below(topic, partition, 6);
  EXPECT_FALSE(check({mark_of(5, "j", "5")}));
}

TEST_P(record_log_suite, keeps_an_assignment_when_the_next_one_is_refused) {
  use_topic(1);
  publish_numbers(10);
  assign({{0, 8}});
  EXPECT_EQ(source->assign({{0, 99}}), ec::store_damaged);
  EXPECT_EQ(values_of(read(2)), numbers(8, 10));
}

TEST_P(record_log_suite, says_that_records_were_deleted_under_the_reader) {
  use_topic(1);
  // More than any reader fetches ahead.
  const std::string large(500'000, 'x');
  for (int i = 0; i < 4; ++i)
    publish(std::vector<outgoing_record>(
      50, {.topic = topic, .key = "k", .value = large}));
  assign({{0, 0}});
  std::int64_t shown = 0;
  for (const auto& x : read(1, {.records_max = 1}))
    shown = x.offset;
  driver->delete_below(topic, 0, 199);
  caf::error error;
  while (!error && shown < 198) {
    const auto some = source->poll({.wait = std::chrono::seconds{10}});
    if (!some) {
      error = some.error();
      break;
    }
    ASSERT_FALSE(some->empty());
    for (const auto& x : *some)
      ASSERT_EQ(x.offset, ++shown);
  }
  EXPECT_EQ(error, ec::not_found) << "shown up to " << shown;
  const auto again = source->poll({.wait = std::chrono::milliseconds{50}});
  EXPECT_EQ(again ? caf::error{} : again.error(), ec::not_found);
  assign({{0, from_oldest}});
  EXPECT_EQ(read(1).front().offset, 199);
}

TEST_P(record_log_suite, leaves_out_a_value_that_is_too_large) {
  use_topic(1);
  publish({{.topic = topic, .key = "a", .value = "before"},
           {.topic = topic,
            .key = "b",
            .value = std::string(1'500'000, 'x'),
            .headers = {{"event-id", "0:1"}}},
           {.topic = topic, .key = "c", .value = "behind"}});
  assign({{0, 0}});
  std::map<std::string, source_record> by_key;
  for (const auto& x : read(3))
    by_key[x.key] = x;
  EXPECT_EQ(by_key["a"].value, "before");
  EXPECT_EQ(by_key["c"].value, "behind");
  EXPECT_FALSE(by_key["b"].has_value);
  EXPECT_EQ(by_key["b"].headers,
            (std::vector<record_header>{{"event-id", "0:1"},
                                        {value_omitted_header, "1500000"}}));
}

TEST_P(record_log_suite, leaves_out_a_key_that_is_too_large) {
  use_topic(1);
  const std::string large(1'500'000, 'x');
  publish({{.topic = topic, .key = "a", .value = "before"},
           {.topic = topic,
            .key = large,
            .value = "kept",
            .headers = {{"event-id", "0:1"}}},
           {.topic = topic, .key = large, .value = large + large},
           {.topic = topic, .key = "c", .value = "behind"}});
  assign({{0, 0}});
  std::map<std::string, source_record> by_value;
  for (const auto& x : read(4))
    by_value[x.value] = x;
  EXPECT_EQ(by_value["before"].key, "a");
  EXPECT_EQ(by_value["behind"].key, "c");
  EXPECT_EQ(by_value["kept"].key, "");
  EXPECT_EQ(by_value["kept"].headers,
            (std::vector<record_header>{{"event-id", "0:1"},
                                        {key_omitted_header, "1500000"}}));
  EXPECT_FALSE(by_value[""].has_value);
  EXPECT_EQ(by_value[""].headers,
            (std::vector<record_header>{{value_omitted_header, "3000000"},
                                        {key_omitted_header, "1500000"}}));
}

TEST_P(record_log_suite, has_nothing_to_say_while_all_is_well) {
  use_topic(1);
  publish({});
  publish_numbers(3);
  assign({{0, 0}});
  read(3);
  EXPECT_EQ(sink->trouble(), "");
  EXPECT_EQ(source->trouble(), "");
}

} // namespace depositd
