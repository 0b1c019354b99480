// The buffer of a source and what it knows, against naive models.

#include "actors/rules/sources/fifo_set.hpp"
#include "actors/rules/sources/known_keys.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <malloc.h>

#include <algorithm>
#include <deque>
#include <string>

namespace depositd::rules {

TEST(fifo_set_test, a_duplicate_neither_enters_nor_moves_the_one_that_waits) {
  fifo_set set;
  EXPECT_TRUE(set.add({"a", "u", "1", 7}));
  EXPECT_TRUE(set.add({"b", "u", "2", 8}));
  EXPECT_FALSE(set.add({"a", "v", "3", 9}));
  EXPECT_EQ(set.size(), 2u);
  EXPECT_EQ(set.pop(), (taken_record{"a", "u", "1", 7}));
  EXPECT_EQ(set.pop(), (taken_record{"b", "u", "2", 8}));
  EXPECT_FALSE(set.pop());
}

TEST(fifo_set_test, keys_may_be_any_bytes_and_bodies_empty) {
  fifo_set set;
  EXPECT_TRUE(set.add({"", "", "", 0}));
  EXPECT_TRUE(set.add({std::string_view{"\0", 1}, "", "", 0}));
  EXPECT_TRUE(set.contains(""));
  EXPECT_TRUE(set.remove(""));
  EXPECT_FALSE(set.remove(""));
  EXPECT_EQ(set.size(), 1u);
}

TEST(fifo_set_test, records_set_aside_come_back_first_in_their_order) {
  fifo_set set;
  for (const auto* key : {"a1", "a2", "b1", "a3"})
    set.add({key, std::string_view{key, 1}, "", 0});
  set.set_aside();
  set.set_aside();
  EXPECT_EQ(set.ready(), 2u);
  EXPECT_EQ(set.size(), 4u);
  EXPECT_EQ(set.aside("a"), 2u);
  EXPECT_TRUE(set.contains("a2"));
  EXPECT_FALSE(set.add({"a2", "a", "", 0}));
  EXPECT_EQ(set.pop()->key, "b1");
  EXPECT_EQ(set.bring_back("a", 9), 2u);
  for (const auto* key : {"a1", "a2", "a3"})
    EXPECT_EQ(set.pop()->key, key);
  EXPECT_EQ(set.bring_back("a", 9), 0u);
}

TEST(fifo_set_test, a_record_that_is_set_aside_can_be_removed) {
  fifo_set set;
  set.add({"a", "u", "", 0});
  set.add({"b", "u", "", 0});
  set.set_aside();
  EXPECT_TRUE(set.remove("a"));
  EXPECT_EQ(set.aside("u"), 0u);
  EXPECT_EQ(set.size(), 1u);
  EXPECT_EQ(set.front()->key, "b");
}

// 200 bytes for each record with a key of 16, whatever the moment at which the
// tables have grown.
TEST(fifo_set_test, a_record_takes_at_most_two_hundred_bytes) {
  const auto in_use = [] {
    const auto info = mallinfo2();
    return info.uordblks + info.hblkhd;
  };
  for (const std::size_t count : {70'000u, 131'073u, 200'000u}) {
    const auto before = in_use();
    fifo_set set;
    for (std::size_t i = 0; i < count; ++i) {
      auto key = std::to_string(i);
      key.insert(0, 16 - key.size(), '0');
      ASSERT_TRUE(set.add({key, "user", "", 1}));
    }
    EXPECT_LE((in_use() - before) / count, 200u) << count;
  }
}

RC_GTEST_PROP(fifo_set_property, is_a_list_without_duplicates, ()) {
  const auto steps = *rc::gen::container<std::vector<std::pair<int, int>>>(
    rc::gen::pair(rc::gen::inRange(0, 12), rc::gen::inRange(0, 24)));
  fifo_set set;
  std::deque<int> line;
  std::deque<int> aside; // of the user "even"
  const auto user = [](int x) { return x % 2 == 0 ? "even" : "odd"; };
  const auto has = [](const std::deque<int>& in, int x) {
    return std::find(in.begin(), in.end(), x) != in.end();
  };
  for (const auto& [what, x] : steps) {
    const auto key = std::to_string(x);
    if (what < 6) {
      const bool fresh = !has(line, x) && !has(aside, x);
      RC_ASSERT(set.add({key, user(x), key, 0}) == fresh);
      if (fresh)
        line.push_back(x);
    } else if (what < 8) {
      RC_ASSERT(set.remove(key) == (has(line, x) || has(aside, x)));
      std::erase(line, x);
      std::erase(aside, x);
    } else if (what == 8 && !line.empty() && line.front() % 2 == 0) {
      set.set_aside();
      aside.push_back(line.front());
      line.pop_front();
    } else if (what == 9) {
      const auto count = std::min<std::size_t>(x, aside.size());
      RC_ASSERT(set.bring_back("even", x) == count);
      line.insert(line.begin(), aside.begin(), aside.begin() + count);
      aside.erase(aside.begin(), aside.begin() + count);
    } else if (what > 9) {
      const auto out = set.pop();
      RC_ASSERT(out.has_value() == !line.empty());
      if (out) {
        RC_ASSERT(out->key == std::to_string(line.front()));
        line.pop_front();
      }
    }
    RC_ASSERT(set.ready() == line.size());
    RC_ASSERT(set.aside("even") == aside.size());
    RC_ASSERT(set.contains(key) == (has(line, x) || has(aside, x)));
  }
}

// -- known keys ---------------------------------------------------------------

TEST(known_keys_test, a_key_goes_from_in_flight_to_how_it_ended) {
  known_keys known{10};
  known.hand_on("a", 5);
  EXPECT_EQ(known.state("a"), record_state::queued);
  EXPECT_EQ(known.digest("a"), 5u);
  EXPECT_TRUE(known.end("a", record_state::failed));
  EXPECT_EQ(known.state("a"), record_state::failed);
  EXPECT_EQ(known.in_flight(), 0u);
  EXPECT_EQ(known.remembered(), 1u);
  known.hand_on("a", 6); // fed again by hand
  EXPECT_EQ(known.state("a"), record_state::queued);
  EXPECT_EQ(known.size(), 1u);
}

TEST(known_keys_test, the_oldest_that_are_over_are_forgotten_and_no_others) {
  known_keys known{3};
  known.hand_on("waits", 0);
  for (const auto* key : {"a", "b", "c", "a", "d"})
    known.remember(key, record_state::finished);
  EXPECT_FALSE(known.contains("b"));
  for (const auto* key : {"a", "c", "d", "waits"})
    EXPECT_TRUE(known.contains(key)) << key;
  known.set_max(1);
  EXPECT_EQ(known.remembered(), 1u);
  EXPECT_TRUE(known.contains("d"));
  known.set_max(0);
  EXPECT_TRUE(known.end("waits", record_state::finished));
  EXPECT_EQ(known.size(), 0u);
}

TEST(known_keys_test, an_end_that_is_told_twice_counts_once) {
  known_keys known{3};
  known.hand_on("a", 0);
  EXPECT_TRUE(known.end("a", record_state::finished));
  EXPECT_FALSE(known.end("a", record_state::finished));
  EXPECT_EQ(known.size(), 1u);
  EXPECT_TRUE(known.forget("a"));
  EXPECT_FALSE(known.forget("a"));
}

} // namespace depositd::rules
