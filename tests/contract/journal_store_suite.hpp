#pragma once

// What every journal store must do. A store takes part with a driver, which
// keeps what was written while stores on it come and go.

#include "messages/ports/journal_store.hpp"

#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace depositd {

/// Closes a segment after some 20 KiB.
class journal_driver {
public:
  virtual ~journal_driver() = default;

  /// Opens what is kept. The store before it was destroyed.
  virtual std::unique_ptr<journal_store> open() = 0;
};

struct journal_candidate {
  std::string name;
  std::function<std::unique_ptr<journal_driver>()> make;
};

class journal_store_suite : public ::testing::TestWithParam<journal_candidate> {
protected:
  /// A group with its own copies of everything.
  struct copied_group {
    sequence first = 0;
    sequence last = 0;
    epoch_number epoch = 0;
    std::uint64_t group = 0;
    std::string bytes;
    std::vector<watermark> watermarks;
  };

  void SetUp() override {
    driver = GetParam().make();
    reopen();
  }

  void reopen() {
    store.reset();
    store = driver->open();
    ASSERT_NE(store, nullptr);
  }

  std::uint64_t append(const std::string& bytes, std::uint32_t events = 1,
                       const std::vector<watermark>& watermarks = {}) {
    const auto group = store->append(bytes, events, watermarks);
    EXPECT_TRUE(group) << render(group.error());
    return group ? *group : 0;
  }

  /// Appends until there are so many segments; every group has one event.
  void append_segments(std::size_t count) {
    while (store->segments().size() < count)
      append(std::string(3000, 'x'));
  }

  std::vector<copied_group> read(sequence from) {
    std::vector<copied_group> out;
    const auto failed = store->read(from, [&](const stored_group& x) {
      out.push_back({x.first, x.last, x.epoch, x.group, std::string{x.bytes},
                     x.watermarks});
      return true;
    });
    EXPECT_FALSE(failed) << render(failed);
    return out;
  }

  caf::error read_error(sequence from) {
    return store->read(from, [](const stored_group&) { return true; });
  }

  std::unique_ptr<journal_driver> driver;
  std::unique_ptr<journal_store> store;
};

TEST_P(journal_store_suite, a_new_log_is_empty) {
  EXPECT_EQ(store->last(), 0u);
  EXPECT_TRUE(read(1).empty());
  EXPECT_TRUE(store->segments().empty());
  EXPECT_TRUE(store->watermarks().empty());
}

TEST_P(journal_store_suite, reads_a_group_as_it_was_appended) {
  const std::string bytes{"\0\xff group \n", 10};
  const std::vector<watermark> watermarks{{"deposits.in/3", 17}, {"", -1}};
  const auto group = append(bytes, 5, watermarks);
  const auto found = read(1);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].first, 1u);
  EXPECT_EQ(found[0].last, 5u);
  EXPECT_EQ(found[0].epoch, store->epoch());
  EXPECT_EQ(found[0].group, group);
  EXPECT_EQ(found[0].bytes, bytes);
  EXPECT_EQ(found[0].watermarks, watermarks);
}

TEST_P(journal_store_suite, counts_events_without_gaps) {
  append("a", 3);
  EXPECT_EQ(store->last(), 3u);
  append("b", 1);
  EXPECT_EQ(store->last(), 4u);
  append("c", 1000);
  EXPECT_EQ(store->last(), 1004u);
  const auto found = read(1);
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[1].first, 4u);
  EXPECT_EQ(found[2].first, 5u);
  EXPECT_EQ(found[2].last, 1004u);
}

TEST_P(journal_store_suite, keeps_a_group_without_bytes) {
  append("", 2);
  append("b");
  const auto found = read(1);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].bytes, "");
  EXPECT_EQ(found[1].bytes, "b");
}

TEST_P(journal_store_suite, refuses_a_group_without_events) {
  EXPECT_EQ(store->append("a", 0, {}).error(), ec::invalid_argument);
  EXPECT_EQ(store->last(), 0u);
  append("b");
  EXPECT_EQ(store->last(), 1u);
}

TEST_P(journal_store_suite, begins_with_the_group_that_contains_the_sequence) {
  append("a", 10);
  append("b", 10);
  append("c", 10);
  EXPECT_EQ(read(0).front().bytes, "a");
  EXPECT_EQ(read(10).front().bytes, "a");
  EXPECT_EQ(read(11).front().bytes, "b");
  EXPECT_EQ(read(20).front().bytes, "b");
  EXPECT_EQ(read(30).front().bytes, "c");
  EXPECT_TRUE(read(31).empty());
}

TEST_P(journal_store_suite, begins_anywhere_in_a_long_log) {
  for (auto i = 1; i <= 300; ++i)
    append("group " + std::to_string(i) + std::string(2000, '.'));
  for (sequence from = 1; from <= 300; from += 7) {
    const auto found = read(from);
    ASSERT_EQ(found.size(), 301 - from);
    EXPECT_EQ(found.front().first, from);
    EXPECT_TRUE(
      found.front().bytes.starts_with("group " + std::to_string(from) + "."));
  }
}

TEST_P(journal_store_suite, stops_reading_when_it_is_told_to) {
  append_segments(3);
  sequence shown = 0;
  const auto failed = store->read(1, [&](const stored_group& x) {
    shown = x.last;
    return x.last < 2;
  });
  EXPECT_FALSE(failed);
  EXPECT_EQ(shown, 2u);
}

TEST_P(journal_store_suite, stops_reading_at_the_end_as_of_the_call) {
  append("a");
  append("b");
  std::string shown;
  const auto failed = store->read(1, [&](const stored_group& x) {
    shown += x.bytes;
    append("c");
    return true;
  });
  EXPECT_FALSE(failed);
  EXPECT_EQ(shown, "ab");
  EXPECT_EQ(store->last(), 4u);
}

TEST_P(journal_store_suite, numbers_groups_in_the_order_of_the_log) {
  std::uint64_t before = 0;
  for (auto i = 0; i < 40; ++i) {
    const auto group = append(std::string(1000, 'x'));
    EXPECT_GT(group, before);
    before = group;
  }
  reopen();
  EXPECT_GT(append("after"), before);
}

TEST_P(journal_store_suite, finds_a_body_by_its_place) {
  const auto first = append("..first body..");
  const auto second = append("second body.");
  for (auto again = 0; again < 2; ++again) {
    EXPECT_EQ(*store->read_body({first, 2, 10}), "first body");
    EXPECT_EQ(*store->read_body({second, 0, 11}), "second body");
    EXPECT_EQ(*store->read_body({second, 3, 0}), "");
    reopen();
  }
}

TEST_P(journal_store_suite, finds_no_body_where_there_is_no_group) {
  EXPECT_EQ(store->read_body({1ULL << 32, 0, 1}).error(), ec::not_found);
  const auto group = append("body");
  EXPECT_EQ(store->read_body({group + (1ULL << 32), 0, 1}).error(),
            ec::not_found);
  EXPECT_EQ(store->read_body({group, 0, 1'000'000}).error(), ec::not_found);
  EXPECT_EQ(store->read_body({group, 0xffffffff, 0xffffffff}).error(),
            ec::not_found);
  EXPECT_EQ(store->read_body({0, 0, 1}).error(), ec::not_found);
}

TEST_P(journal_store_suite, survives_being_closed) {
  append("a", 2, {{"in/0", 5}});
  append("b", 1, {{"in/1", 7}});
  reopen();
  EXPECT_EQ(store->last(), 3u);
  append("c", 4);
  reopen();
  const auto found = read(1);
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].bytes, "a");
  EXPECT_EQ(found[0].watermarks, (std::vector<watermark>{{"in/0", 5}}));
  EXPECT_EQ(found[1].bytes, "b");
  EXPECT_EQ(found[2].bytes, "c");
  EXPECT_EQ(found[2].first, 4u);
  EXPECT_LT(found[1].epoch, found[2].epoch);
}

TEST_P(journal_store_suite, raises_the_epoch_at_every_opening) {
  const auto first = store->epoch();
  EXPECT_GT(first, 0u);
  reopen();
  const auto second = store->epoch();
  EXPECT_GT(second, first);
  append("a");
  reopen();
  EXPECT_GT(store->epoch(), second);
  EXPECT_EQ(read(1).front().epoch, second);
}

TEST_P(journal_store_suite, knows_the_last_watermark_of_every_partition) {
  append("a", 1, {{"in/1", 5}, {"in/0", 3}});
  append("b", 1, {{"in/1", 6}});
  append("c");
  const std::vector<watermark> expected{{"in/0", 3}, {"in/1", 6}};
  EXPECT_EQ(store->watermarks(), expected);
  reopen();
  EXPECT_EQ(store->watermarks(), expected);
}

TEST_P(journal_store_suite, knows_watermarks_of_what_was_dropped) {
  append("a", 1, {{"in/0", 3}, {"in/1", 4}});
  append_segments(2);
  append("b", 1, {{"in/1", 9}});
  append_segments(4);
  while (store->segments().size() > 1)
    EXPECT_FALSE(store->drop(store->segments().front().number));
  const std::vector<watermark> expected{{"in/0", 3}, {"in/1", 9}};
  EXPECT_EQ(store->watermarks(), expected);
  reopen();
  EXPECT_EQ(store->watermarks(), expected);
}

TEST_P(journal_store_suite, divides_the_log_into_segments) {
  append_segments(4);
  for (auto again = 0; again < 2; ++again) {
    const auto segments = store->segments();
    ASSERT_EQ(segments.size(), 4u);
    sequence next = 1;
    for (const auto& x : segments) {
      EXPECT_EQ(x.first, next);
      EXPECT_EQ(x.open, x.last == store->last());
      EXPECT_GT(x.bytes, 0u);
      for (const auto& group : read(x.first)) {
        const auto inside =
          group.group >= x.group_first && group.group <= x.group_last;
        EXPECT_EQ(inside, group.last <= x.last);
      }
      next = x.last + 1;
    }
    EXPECT_EQ(next, store->last() + 1);
    reopen();
  }
}

TEST_P(journal_store_suite, does_not_drop_what_is_written_to) {
  EXPECT_EQ(store->drop(1), ec::not_found);
  append("a");
  EXPECT_EQ(store->drop(store->segments().back().number), ec::invalid_argument);
  EXPECT_EQ(read(1).size(), 1u);
}

TEST_P(journal_store_suite, forgets_what_was_dropped) {
  const auto group = append("body");
  append_segments(3);
  const auto segments = store->segments();
  EXPECT_FALSE(store->drop(segments[0].number));
  for (auto again = 0; again < 2; ++again) {
    EXPECT_EQ(store->drop(segments[0].number), ec::not_found);
    EXPECT_EQ(store->segments().size(), 2u);
    EXPECT_EQ(read_error(1), ec::not_found);
    EXPECT_EQ(read_error(segments[0].last), ec::not_found);
    EXPECT_EQ(store->read_body({group, 0, 4}).error(), ec::not_found);
    EXPECT_EQ(read(segments[1].first).front().first, segments[1].first);
    reopen();
  }
}

TEST_P(journal_store_suite, drops_from_the_middle) {
  const auto group = append("old body that is still needed");
  append_segments(6);
  const auto segments = store->segments();
  for (const auto at : {3u, 1u, 2u})
    EXPECT_FALSE(store->drop(segments[at].number));
  for (auto again = 0; again < 2; ++again) {
    EXPECT_EQ(*store->read_body({group, 0, 8}), "old body");
    EXPECT_EQ(read_error(1), ec::not_found) << "it would have to leave a hole";
    EXPECT_EQ(read_error(segments[2].first), ec::not_found);
    EXPECT_EQ(read(segments[4].first).back().last, store->last());
    reopen();
  }
  EXPECT_FALSE(store->drop(segments[0].number));
  reopen();
  EXPECT_EQ(store->segments().front().first, segments[4].first);
}

TEST_P(journal_store_suite, goes_on_counting_after_all_was_dropped) {
  append_segments(3);
  const auto last = store->last();
  while (store->segments().size() > 1)
    EXPECT_FALSE(store->drop(store->segments().front().number));
  reopen();
  EXPECT_EQ(store->last(), last);
  append("next");
  EXPECT_EQ(store->last(), last + 1);
  EXPECT_EQ(read(last + 1).front().bytes, "next");
}

TEST_P(journal_store_suite, keeps_a_group_larger_than_a_segment) {
  append("small");
  const auto large = std::string(300'000, 'l');
  const auto group = append(large, 7);
  append("small again");
  for (auto again = 0; again < 2; ++again) {
    const auto found = read(1);
    ASSERT_EQ(found.size(), 3u);
    EXPECT_EQ(found[1].bytes, large);
    EXPECT_EQ(found[2].bytes, "small again");
    EXPECT_EQ(*store->read_body({group, 299'990, 10}), "llllllllll");
    reopen();
  }
}

TEST_P(journal_store_suite, stays_bounded_while_segments_are_dropped) {
  append_segments(3);
  std::uint64_t bytes_max = 0;
  for (auto i = 0; i < 200; ++i) {
    append(std::string(3000, 'x'));
    while (store->segments().size() > 3)
      ASSERT_FALSE(store->drop(store->segments().front().number));
    bytes_max = std::max(bytes_max, store->disk_bytes());
  }
  EXPECT_LT(bytes_max, 12u * 24 * 1024);
}

TEST_P(journal_store_suite, shows_whole_groups_while_others_are_appended) {
  std::thread writer{[this] {
    for (auto i = 1; i <= 300; ++i)
      append(std::string(500, static_cast<char>('a' + i % 26)), 1,
             {{"in/0", i}});
  }};
  sequence seen = 0;
  while (seen < 300) {
    const auto failed = store->read(seen + 1, [&](const stored_group& x) {
      EXPECT_EQ(x.first, seen + 1);
      EXPECT_EQ(x.bytes,
                std::string(500, static_cast<char>('a' + x.first % 26)));
      EXPECT_EQ(*store->read_body({x.group, 499, 1}), x.bytes.substr(499));
      seen = x.last;
      return true;
    });
    ASSERT_FALSE(failed) << render(failed);
    EXPECT_LE(seen, store->last());
  }
  writer.join();
}

} // namespace depositd
