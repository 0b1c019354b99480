#pragma once

// What every kind of source must do. A kind is tested by a driver, which has
// the other side, and an instantiation:
//
//   INSTANTIATE_TEST_SUITE_P(folder, source_reader_suite,
//                            ::testing::Values(source_candidate{...}),
//                            [](const auto& x) { return x.param.name; });

#include "messages/ports/source_reader.hpp"

#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace depositd {

/// The other side of a source that is named "src". It has a field for keys and
/// one for users in every record.
class source_driver {
public:
  struct fields {
    std::string key;        ///< empty: as is usual for the kind
    std::string user_field; ///< empty: none
  };

  virtual ~source_driver() = default;

  virtual std::unique_ptr<source_reader> open(const fields& x) = 0;

  /// Makes the record of this number, behind all that are there: numbers rise.
  virtual void put(int number) = 0;
  /// Makes something of this number that can be no record, likewise.
  virtual void put_bad(int number) = 0;

  /// What is usual for the kind.
  virtual std::string key_of(int number) const = 0;

  /// Names of fields, and what stands there.
  virtual fields field_names() const = 0;
  virtual std::string field_key_of(int number) const = 0;
  virtual std::string field_user_of(int number) const = 0;

  /// From now on reading fails, until `mend`.
  virtual void spoil() = 0;
  virtual void mend() = 0;

  /// From now on whoever reads waits; false if nothing can make a reader wait.
  virtual bool hold_up() {
    return false;
  }
  /// Returns once somebody waits.
  virtual void await_waiting() {}
  virtual void let_go() {}

  /// Whether there is a cursor; where there is none, what was read once does
  /// not come again soon, and nobody promises an order.
  virtual bool has_cursor() const {
    return true;
  }
};

struct source_candidate {
  std::string name;
  std::function<std::unique_ptr<source_driver>()> make;
};

class source_reader_suite : public ::testing::TestWithParam<source_candidate> {
protected:
  void SetUp() override {
    driver = GetParam().make();
    ASSERT_NE(driver, nullptr);
  }

  void open(const source_driver::fields& x = {}) {
    reader = driver->open(x);
    ASSERT_NE(reader, nullptr);
  }

  void put(int from, int to) {
    for (int i = from; i < to; ++i)
      driver->put(i);
  }

  static batch_request ask(std::uint64_t limit, std::string cursor = {}) {
    return {limit, std::move(cursor), std::chrono::seconds{60}};
  }

  pulled_batch next(std::uint64_t limit, std::string cursor = {}) {
    auto out = reader->next_batch(ask(limit, std::move(cursor)));
    EXPECT_TRUE(out) << render(out.error());
    return out ? std::move(*out) : pulled_batch{};
  }

  /// Where to go on behind the last record of a batch.
  static std::string behind(const pulled_batch& x) {
    return x.records.empty() || x.records.back().cursor.empty()
             ? x.cursor
             : x.records.back().cursor;
  }

  static std::vector<std::string> keys_of(const pulled_batch& x) {
    std::vector<std::string> out;
    for (const auto& record : x.records)
      out.push_back(record.key);
    return out;
  }

  std::vector<std::string> keys(int from, int to) const {
    std::vector<std::string> out;
    for (int i = from; i < to; ++i)
      out.push_back(driver->key_of(i));
    return out;
  }

  std::unique_ptr<source_driver> driver;
  std::unique_ptr<source_reader> reader;
};

TEST_P(source_reader_suite, brings_what_is_there_in_order_up_to_the_limit) {
  if (!driver->has_cursor())
    GTEST_SKIP() << "nobody promises an order";
  put(1, 8);
  open();
  const auto first = next(3);
  EXPECT_EQ(keys_of(first), keys(1, 4));
  EXPECT_TRUE(first.bad.empty());
  ASSERT_TRUE(first.has_cursor);
  const auto second = next(3, first.cursor);
  EXPECT_EQ(keys_of(second), keys(4, 7));
  EXPECT_EQ(keys_of(next(3, second.cursor)), keys(7, 8));
}

TEST_P(source_reader_suite, goes_on_behind_a_cursor_whoever_had_it) {
  if (!driver->has_cursor())
    GTEST_SKIP() << "there is no cursor";
  put(1, 6);
  open();
  const auto batch = next(4);
  ASSERT_EQ(batch.records.size(), 4u);
  open(); // after a restart
  EXPECT_EQ(keys_of(next(4, batch.cursor)), keys(5, 6));
  EXPECT_EQ(keys_of(next(4)), keys(1, 5)) << "from the beginning";
  if (!batch.records[1].cursor.empty()) {
    EXPECT_EQ(keys_of(next(2, batch.records[1].cursor)), keys(3, 5));
  }
}

TEST_P(source_reader_suite, has_an_empty_batch_where_nothing_is_new) {
  open();
  const auto none = next(3);
  EXPECT_TRUE(none.records.empty());
  EXPECT_TRUE(none.bad.empty());
  put(1, 3);
  std::vector<std::string> seen;
  pulled_batch last;
  for (int i = 0; seen.size() < 2 && i < 100; ++i) {
    last = next(9, behind(last));
    for (const auto& key : keys_of(last))
      seen.push_back(key);
  }
  ASSERT_EQ(seen.size(), 2u);
  EXPECT_TRUE(next(9, behind(last)).records.empty());
}

TEST_P(source_reader_suite, finds_what_came_later) {
  if (!driver->has_cursor())
    GTEST_SKIP() << "there is no cursor";
  put(1, 3);
  open();
  const auto batch = next(9);
  ASSERT_EQ(keys_of(batch), keys(1, 3));
  driver->put(3);
  EXPECT_EQ(keys_of(next(9, behind(batch))), keys(3, 4));
}

TEST_P(source_reader_suite, names_bad_ones_and_passes_over_them) {
  driver->put(1);
  driver->put_bad(2);
  driver->put(3);
  open();
  std::vector<std::string> seen;
  std::vector<bad_record> bad;
  pulled_batch last;
  for (int i = 0; (seen.size() < 2 || bad.empty()) && i < 100; ++i) {
    last = next(9, behind(last));
    for (const auto& key : keys_of(last))
      seen.push_back(key);
    bad.insert(bad.end(), last.bad.begin(), last.bad.end());
  }
  ASSERT_EQ(bad.size(), 1u);
  EXPECT_FALSE(bad[0].reason.empty());
  if (driver->has_cursor()) {
    EXPECT_EQ(bad[0].at, 1u);
    EXPECT_EQ(seen, (std::vector{driver->key_of(1), driver->key_of(3)}));
  }
  EXPECT_EQ(seen.size(), 2u);
}

TEST_P(source_reader_suite, goes_on_behind_a_bad_one_that_is_the_last) {
  if (!driver->has_cursor())
    GTEST_SKIP() << "there is no cursor";
  driver->put(1);
  driver->put_bad(2);
  open();
  const auto batch = next(2);
  EXPECT_EQ(batch.records.size(), 1u);
  EXPECT_EQ(batch.bad.size(), 1u);
  driver->put(3);
  EXPECT_EQ(keys_of(next(2, batch.cursor)), keys(3, 4));
}

TEST_P(source_reader_suite, repeats_what_failed_from_the_same_cursor) {
  put(1, 6);
  open();
  const auto first = next(2);
  ASSERT_EQ(first.records.size(), 2u);
  driver->spoil();
  for (int i = 0; i < 2; ++i) {
    const auto failed =
      reader->next_batch({2, first.cursor, std::chrono::seconds{10}});
    ASSERT_FALSE(failed);
    EXPECT_FALSE(render(failed.error()).empty());
  }
  driver->mend();
  const auto second = next(2, first.cursor);
  EXPECT_EQ(second.records.size(), 2u);
  if (driver->has_cursor()) {
    EXPECT_EQ(keys_of(second), keys(3, 5));
  }
}

TEST_P(source_reader_suite, returns_soon_when_it_is_cancelled) {
  driver->put(1);
  open();
  if (!driver->hold_up())
    GTEST_SKIP() << "it never waits";
  const auto begun = std::chrono::steady_clock::now();
  auto waiting = std::async(std::launch::async, [this] {
    return reader->next_batch({1, {}, std::chrono::minutes{5}});
  });
  driver->await_waiting();
  reader->cancel();
  const auto out = waiting.get();
  ASSERT_FALSE(out);
  EXPECT_EQ(out.error(), ec::store_failed) << render(out.error());
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::minutes{2});
  driver->let_go();
  EXPECT_EQ(next(1).records.size(), 1u) << "the next one is not touched";
}

TEST_P(source_reader_suite, a_cancel_between_two_calls_touches_neither) {
  driver->put(1);
  open();
  reader->cancel();
  EXPECT_EQ(next(1).records.size(), 1u);
  reader->cancel();
}

TEST_P(source_reader_suite, may_be_told_of_keys_that_it_never_had) {
  driver->put(1);
  open();
  EXPECT_FALSE(reader->applied({}));
  EXPECT_FALSE(reader->applied({"nobody's", "", driver->key_of(1)}));
  const auto batch = next(1);
  ASSERT_EQ(batch.records.size(), 1u);
  for (int i = 0; i < 2; ++i) {
    const auto error = reader->applied(keys_of(batch));
    EXPECT_FALSE(error) << render(error);
  }
}

TEST_P(source_reader_suite, takes_keys_and_users_from_fields) {
  driver->put(1);
  open(driver->field_names());
  const auto batch = next(1);
  ASSERT_EQ(batch.records.size(), 1u);
  EXPECT_EQ(batch.records[0].key, driver->field_key_of(1));
  EXPECT_EQ(batch.records[0].user, driver->field_user_of(1));
}

TEST_P(source_reader_suite, without_a_user_field_all_belong_to_the_source) {
  driver->put(1);
  open();
  const auto batch = next(1);
  ASSERT_EQ(batch.records.size(), 1u);
  EXPECT_EQ(batch.records[0].user, "src");
}

TEST_P(source_reader_suite, a_field_that_is_missing_makes_a_record_bad) {
  driver->put(1);
  open({"no_such_field", {}});
  const auto batch = next(1);
  EXPECT_TRUE(batch.records.empty());
  ASSERT_EQ(batch.bad.size(), 1u);
  EXPECT_NE(batch.bad[0].reason.find("key"), std::string::npos);
  EXPECT_NE(batch.bad[0].reason.find("no_such_field"), std::string::npos);
}

} // namespace depositd
