// What is known of records where their items are.

#include "actors/rules/sources/record_register.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <deque>
#include <iterator>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace depositd::rules {

namespace {

constexpr micros made = 7;

record_taken one_taken(item_id id, const std::string& key,
                       micros made_us = made) {
  return {id, "q", "s", made_us, key};
}

record_ended one_ended(item_id id, const std::string& key, bool failed = false,
                       micros made_us = made) {
  return {id, "q", "s", made_us, key, failed, 50, ""};
}

/// Keys that were to be journalled as forgotten.
std::vector<std::string> forgotten_keys(record_register& from) {
  std::vector<std::string> out;
  for (const auto& x : from.take_forgotten())
    out.insert(out.end(), x.keys.begin(), x.keys.end());
  return out;
}

} // namespace

class record_register_test : public ::testing::Test {
protected:
  void SetUp() override {
    ASSERT_TRUE(it.begin("s", made, 3));
  }

  record_state state_of(const std::string& key) const {
    return it.find("s", made, key).state;
  }

  void pass(item_id id, const std::string& key, bool failed = false) {
    it.take(one_taken(id, key), "ann");
    it.end(one_ended(id, key, failed), "ann");
  }

  record_register it;
};

TEST_F(record_register_test, knows_a_key_from_its_item_to_its_end) {
  EXPECT_EQ(state_of("k"), record_state::unknown);
  it.take(one_taken(5, "k"), "ann");
  const auto live = it.find("s", made, "k");
  EXPECT_EQ(live.state, record_state::queued);
  EXPECT_EQ(live.id, 5u);
  EXPECT_EQ(live.user, "ann");
  it.end(one_ended(5, "k", true), "ann");
  const auto over = it.find("s", made, "k");
  EXPECT_EQ(over.state, record_state::failed);
  EXPECT_EQ(over.id, 0u);
  EXPECT_EQ(over.user, "ann");
  pass(6, "l");
  EXPECT_EQ(state_of("l"), record_state::finished);
  EXPECT_EQ(it.find("other", made, "k").state, record_state::unknown);
}

TEST_F(record_register_test, an_item_that_had_the_key_before_says_nothing) {
  it.take(one_taken(5, "k"), "ann");
  it.take(one_taken(6, "k"), "bob");
  it.end(one_ended(5, "k", true), "ann");
  EXPECT_EQ(it.find("s", made, "k").id, 6u);
  EXPECT_EQ(it.count("s", made).queued, 1u);
  EXPECT_EQ(it.count("s", made).failed, 1u) << "but it counts";
  it.end(one_ended(6, "k"), "bob");
  EXPECT_EQ(state_of("k"), record_state::finished);
}

TEST_F(record_register_test, forgets_the_oldest_that_are_over) {
  for (item_id id = 1; id <= 5; ++id)
    pass(id, "k" + std::to_string(id));
  it.take(one_taken(9, "lives"), "ann");
  EXPECT_EQ(state_of("k2"), record_state::unknown);
  EXPECT_EQ(state_of("k3"), record_state::finished);
  EXPECT_EQ(state_of("lives"), record_state::queued);
  EXPECT_EQ(it.count("s", made).remembered, 3u);
  EXPECT_EQ(it.count("s", made).finished, 5u);
  EXPECT_TRUE(it.take_forgotten(3).empty()) << "that is not enough";
  EXPECT_EQ(forgotten_keys(it), (std::vector<std::string>{"k1", "k2"}));
  EXPECT_TRUE(it.take_forgotten().empty());
  ASSERT_TRUE(it.begin("s", made, 1));
  EXPECT_EQ(forgotten_keys(it), (std::vector<std::string>{"k3", "k4"}));
}

TEST_F(record_register_test, what_is_taken_again_is_not_forgotten) {
  for (item_id id = 1; id <= 4; ++id)
    pass(id, "k" + std::to_string(id));
  it.take(one_taken(9, "k1"), "ann");
  EXPECT_TRUE(forgotten_keys(it).empty());
}

TEST_F(record_register_test, a_later_source_takes_the_place_of_an_earlier) {
  pass(1, "k");
  it.take(one_taken(2, "l"), "ann");
  EXPECT_FALSE(it.begin("s", made - 1, 9));
  ASSERT_TRUE(it.begin("s", made + 1, 9));
  EXPECT_EQ(it.find("s", made + 1, "k").state, record_state::unknown);
  EXPECT_EQ(it.count("s", made).finished, 0u);
  const auto gone = it.take_forgotten();
  ASSERT_EQ(gone.size(), 1u);
  EXPECT_TRUE(gone[0].all);
  EXPECT_EQ(gone[0].made_us, made);
  it.end(one_ended(2, "l"), "ann");
  EXPECT_EQ(it.count("s", made + 1).finished, 0u);
  EXPECT_EQ(it.of_user("q", "ann"), 0u) << "its item is no more, either";
}

TEST_F(record_register_test, a_source_that_ends_is_forgotten) {
  pass(1, "k");
  it.end_source("s");
  it.end_source("never");
  EXPECT_TRUE(it.sources().empty());
  const auto gone = it.take_forgotten();
  ASSERT_EQ(gone.size(), 1u);
  EXPECT_EQ(gone[0].source, "s");
  EXPECT_TRUE(gone[0].all);
}

TEST_F(record_register_test, counts_claims_and_users) {
  for (item_id id = 1; id <= 3; ++id)
    it.take(one_taken(id, "k" + std::to_string(id)), id == 3 ? "bob" : "ann");
  it.change_claims("s", made, 2);
  it.change_claims("s", made + 1, 5);
  EXPECT_EQ(it.count("s", made).queued, 1u);
  EXPECT_EQ(it.count("s", made).claimed, 2u);
  EXPECT_EQ(it.of_user("q", "ann"), 2u);
  EXPECT_EQ(it.of_user("q", "bob"), 1u);
  EXPECT_EQ(it.of_user("r", "ann"), 0u);
  it.move("q", "ann", -1);
  it.move("r", "ann", 1);
  EXPECT_EQ(it.of_user("q", "ann"), 1u);
  EXPECT_EQ(it.of_user("r", "ann"), 1u);
  it.change_claims("s", made, -1);
  it.end(one_ended(1, "k1"), "ann");
  EXPECT_EQ(it.of_user("q", "ann"), 0u);
  EXPECT_EQ(it.count("s", made).claimed, 1u);
  EXPECT_EQ(it.count("s", made).queued, 1u);
}

TEST_F(record_register_test, keeps_a_bad_record_once_and_not_too_many) {
  EXPECT_TRUE(it.refuse("s", made, 1));
  EXPECT_FALSE(it.refuse("s", made, 1));
  for (std::uint64_t digest = 2; digest <= record_register::refused_max + 2;
       ++digest)
    EXPECT_TRUE(it.refuse("s", made, digest));
  std::vector<std::uint64_t> gone;
  for (const auto& x : it.take_forgotten())
    gone.insert(gone.end(), x.refused.begin(), x.refused.end());
  EXPECT_EQ(gone, (std::vector<std::uint64_t>{1, 2}));
  EXPECT_TRUE(it.refuse("s", made, 1)) << "it is not kept any more";
}

TEST_F(record_register_test, journals_much_that_is_forgotten_in_pieces) {
  for (item_id id = 1; id <= 2'503; ++id)
    pass(id, "k" + std::to_string(id));
  const auto pieces = it.take_forgotten();
  ASSERT_EQ(pieces.size(), 3u);
  std::size_t keys = 0;
  for (const auto& x : pieces) {
    EXPECT_LE(x.keys.size(), 1'000u);
    keys += x.keys.size();
  }
  EXPECT_EQ(keys, 2'500u);
}

// -- any course, and after a crash --------------------------------------------

namespace {

/// The same with lists that are searched.
struct naive_register {
  std::map<std::string, item_id> live;
  std::deque<std::pair<std::string, bool>> over; ///< the oldest first
  std::map<item_id, std::string> items;
  std::uint64_t finished = 0;
  std::uint64_t failed = 0;

  record_state state_of(const std::string& key) const {
    if (live.contains(key))
      return record_state::queued;
    for (const auto& x : over)
      if (x.first == key)
        return x.second ? record_state::failed : record_state::finished;
    return record_state::unknown;
  }

  void take(item_id id, const std::string& key) {
    std::erase_if(over, [&](const auto& x) { return x.first == key; });
    live[key] = id;
    items[id] = key;
  }

  void end(item_id id, bool with_failure, std::size_t known_max) {
    const auto key = items.at(id);
    items.erase(id);
    ++(with_failure ? failed : finished);
    const auto at = live.find(key);
    if (at == live.end() || at->second != id)
      return;
    live.erase(at);
    over.emplace_back(key, with_failure);
    if (over.size() > known_max)
      over.pop_front();
  }
};

void expect_same(const record_register& it, const naive_register& by) {
  for (char c = 'a'; c <= 'h'; ++c) {
    const std::string key(1, c);
    RC_ASSERT(it.find("s", made, key).state == by.state_of(key));
  }
  const auto counts = it.count("s", made);
  RC_ASSERT(counts.queued == by.items.size());
  RC_ASSERT(counts.finished == by.finished);
  RC_ASSERT(counts.failed == by.failed);
  RC_ASSERT(counts.remembered == by.over.size());
  RC_ASSERT(it.of_user("q", "ann") == by.items.size());
}

/// What a fresh start finds of it.
record_register restored(const naive_register& from) {
  record_register out;
  record_row row;
  row.source = "s";
  row.made_us = made;
  row.queue = "q";
  row.user = "ann";
  for (const auto& [key, id] : from.live) {
    row.key = key;
    row.id = id;
    out.restore(row);
  }
  for (const auto& [key, with_failure] : from.over) {
    row.key = key;
    row.state = with_failure ? record_state::failed : record_state::finished;
    out.restore(row);
  }
  record_totals totals;
  totals.source = "s";
  totals.made_us = made;
  totals.finished = from.finished;
  totals.failed = from.failed;
  out.restore(totals);
  return out;
}

} // namespace

RC_GTEST_PROP(record_register_property, is_two_lists, ()) {
  const auto known_max = *rc::gen::inRange<std::size_t>(0, 5);
  record_register it;
  it.begin("s", made, known_max);
  naive_register by;
  const auto count = *rc::gen::inRange(0, 100);
  for (int i = 1; i <= count; ++i) {
    const auto id = static_cast<item_id>(i);
    if (by.items.empty() || *rc::gen::inRange(0, 2) == 0) {
      const std::string key(1,
                            static_cast<char>('a' + *rc::gen::inRange(0, 8)));
      it.take(one_taken(id, key), "ann");
      by.take(id, key);
    } else {
      const auto at =
        std::next(by.items.begin(),
                  *rc::gen::inRange(0, static_cast<int>(by.items.size())));
      const auto with_failure = *rc::gen::arbitrary<bool>();
      it.end(one_ended(at->first, at->second, with_failure), "ann");
      by.end(at->first, with_failure, known_max);
    }
    expect_same(it, by);
  }
}

RC_GTEST_PROP(record_register_property, is_restored_from_rows_and_events, ()) {
  naive_register by;
  auto it = restored(by);
  const auto begins = *rc::gen::inRange(0, 60);
  const auto count = begins + *rc::gen::inRange(0, 40);
  for (int i = 1; i <= count; ++i) {
    const auto id = static_cast<item_id>(i);
    if (i == begins)
      it = restored(by); // what came before is in the tables
    if (by.items.empty() || *rc::gen::inRange(0, 2) == 0) {
      const std::string key(1,
                            static_cast<char>('a' + *rc::gen::inRange(0, 8)));
      if (by.live.contains(key))
        continue; // of an item whose key was taken no row is left
      it.take(one_taken(id, key), "ann");
      by.take(id, key);
    } else {
      const auto at = by.items.begin();
      it.end(one_ended(at->first, at->second), "ann");
      by.end(at->first, false, 1'000);
    }
  }
  it.begin_items();
  for (const auto& [id, key] : by.items)
    it.count_item(one_taken(id, key), "ann", false);
  expect_same(it, by);
  it.begin("s", made, 2);
  RC_ASSERT(it.count("s", made).remembered
            == std::min<std::size_t>(by.over.size(), 2));
}

TEST_F(record_register_test, restores_nothing_of_an_earlier_source) {
  record_register fresh;
  record_row row;
  row.source = "s";
  row.key = "k";
  for (const micros made_us : {6, 8, 7}) {
    row.made_us = made_us;
    row.id = static_cast<item_id>(made_us);
    fresh.restore(row);
  }
  EXPECT_EQ(fresh.find("s", 8, "k").id, 8u);
  EXPECT_EQ(fresh.find("s", 7, "k").id, 0u);
  const auto gone = fresh.take_forgotten();
  ASSERT_EQ(gone.size(), 1u);
  EXPECT_TRUE(gone[0].all);
  EXPECT_EQ(gone[0].made_us, 7) << "and all before it";
}

TEST_F(record_register_test, forgets_what_the_journal_says) {
  pass(1, "k");
  pass(2, "l");
  it.refuse("s", made, 5);
  it.forget({"s", made, false, {"k", "never"}, {5}});
  EXPECT_EQ(state_of("k"), record_state::unknown);
  EXPECT_EQ(state_of("l"), record_state::finished);
  EXPECT_TRUE(it.refuse("s", made, 5));
  it.forget({"s", made - 1, true, {}, {}});
  EXPECT_EQ(state_of("l"), record_state::finished);
  it.forget({"s", made, true, {}, {}});
  EXPECT_EQ(state_of("l"), record_state::unknown);
  EXPECT_TRUE(it.take_forgotten().empty()) << "the journal has said it";
}

} // namespace depositd::rules
