// Records of sources: what a stretch of the journal leaves of them.

#include "actors/rules/fold/slice_fold.hpp"
#include "tests/actors/rules/fold/projection_tables.hpp"
#include "tests/support/journal_cuts.hpp"
#include "tests/support/memory_tables.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace depositd {
namespace {

using testing::projection_tables;

item_enqueued item_of(item_id id) {
  item_enqueued out;
  out.id = id;
  out.queue = "q";
  out.place = {id, 1, 100};
  return out;
}

item_finished end_of_item(item_id id) {
  item_finished out;
  out.id = id;
  out.queue = "q";
  return out;
}

record_taken taken(item_id id, const std::string& key, micros made_us = 7) {
  return {id, "q", "s", made_us, key};
}

record_ended ended(item_id id, const std::string& key, bool failed = false,
                   micros made_us = 7) {
  return {id, "q", "s", made_us, key, failed, 50, failed ? "why" : ""};
}

record_refused refused(std::uint64_t digest) {
  return {"q", "s", 7, "k", "U", "bad", "body", digest, 60};
}

class records_in_a_slice : public ::testing::Test {
protected:
  void add(const std::vector<event>& events) {
    fold.add({"U", events});
  }

  void take_and_end(item_id id, const std::string& key, bool failed = false) {
    add({item_of(id), taken(id, key)});
    add({ended(id, key, failed), end_of_item(id)});
  }

  rules::slice_fold fold{10};
};

TEST_F(records_in_a_slice, live_while_their_items_do) {
  add({item_of(5), taken(5, "k")});
  const auto x = fold.take();
  record_row row;
  row.source = "s";
  row.made_us = 7;
  row.key = "k";
  row.queue = "q";
  row.user = "U";
  row.id = 5;
  EXPECT_EQ(x.records_put, std::vector{row});
  EXPECT_EQ(x.records_ended,
            (std::vector<record_totals>{{"s", 7, 0, 0, true}}));
  EXPECT_TRUE(x.records_changed.empty());
}

TEST_F(records_in_a_slice, come_and_end_as_one_row_with_its_place) {
  take_and_end(5, "k");
  take_and_end(6, "l", true);
  const auto x = fold.take();
  ASSERT_EQ(x.records_put.size(), 2u);
  EXPECT_EQ(x.records_put[0].state, record_state::finished);
  EXPECT_EQ(x.records_put[0].place, 13u) << "third behind the tenth event";
  EXPECT_EQ(x.records_put[1].state, record_state::failed);
  EXPECT_EQ(x.records_put[1].place, 17u);
  EXPECT_EQ(x.records_put[1].reason, "why");
  EXPECT_EQ(x.records_put[1].ended_us, 50);
  EXPECT_TRUE(x.items_put.empty());
  EXPECT_EQ(x.records_ended,
            (std::vector<record_totals>{{"s", 7, 1, 1, true}}));
}

TEST_F(records_in_a_slice, that_came_earlier_only_end) {
  add({ended(5, "k", true), end_of_item(5)});
  const auto x = fold.take();
  ASSERT_EQ(x.records_changed.size(), 1u);
  EXPECT_EQ(x.records_changed[0].id, 5u);
  EXPECT_EQ(x.records_changed[0].place, 11u);
  EXPECT_EQ(x.records_changed[0].state, record_state::failed);
  EXPECT_TRUE(x.records_put.empty());
  EXPECT_EQ(x.records_ended, (std::vector<record_totals>{{"s", 7, 0, 1}}));
}

TEST_F(records_in_a_slice, do_not_end_with_an_item_that_had_the_key_before) {
  add({item_of(5), taken(5, "k")});
  add({item_of(6), taken(6, "k")});
  add({ended(5, "k"), end_of_item(5)});
  const auto x = fold.take();
  ASSERT_EQ(x.records_put.size(), 1u);
  EXPECT_EQ(x.records_put[0].id, 6u);
  EXPECT_EQ(x.records_put[0].state, record_state::queued);
  EXPECT_EQ(x.records_ended[0].finished, 1u);
}

TEST_F(records_in_a_slice, that_are_forgotten_leave_no_row) {
  take_and_end(5, "k");
  add({ended(4, "old"), end_of_item(4)});
  add({refused(3)});
  add({records_forgotten{"s", 7, false, {"k", "old"}, {3}}});
  const auto x = fold.take();
  EXPECT_TRUE(x.records_put.empty());
  EXPECT_EQ(x.records_changed.size(), 1u) << "the tables know it as live";
  EXPECT_EQ(x.records_gone,
            (std::vector<records_removed>{{"s", 7, false, {"k", "old"}, {3}}}));
  EXPECT_EQ(x.records_ended[0].finished, 2u) << "but they count";
}

TEST_F(records_in_a_slice, of_a_source_that_is_no_more_leave_nothing) {
  add({item_of(5), taken(5, "k")});
  add({item_of(6), taken(6, "l", 9)});
  add({records_forgotten{"s", 7, true, {}, {}}});
  add({ended(5, "k"), end_of_item(5)});
  const auto x = fold.take();
  ASSERT_EQ(x.records_put.size(), 1u);
  EXPECT_EQ(x.records_put[0].made_us, 9);
  EXPECT_EQ(x.records_ended,
            (std::vector<record_totals>{{"s", 7, 1, 0}, {"s", 9, 0, 0, true}}));
}

TEST_F(records_in_a_slice, that_are_bad_bring_their_body) {
  add({refused(3)});
  const auto x = fold.take();
  ASSERT_EQ(x.records_put.size(), 1u);
  EXPECT_EQ(x.records_put[0].refused, 3u);
  EXPECT_EQ(x.records_put[0].state, record_state::failed);
  EXPECT_EQ(x.records_put[0].id, 0u);
  EXPECT_EQ(x.records_put[0].body, "body");
  EXPECT_EQ(x.records_put[0].reason, "bad");
  EXPECT_EQ(x.records_put[0].place, 11u);
}

TEST_F(records_in_a_slice, tell_where_bodies_are_of_those_that_failed) {
  take_and_end(5, "k", true);
  take_and_end(6, "fine");
  add({body_compacted{4, "q", "", {9, 2, 30}}});
  add({ended(4, "old", true), end_of_item(4)});
  add({ended(3, "older", true), end_of_item(3)});
  EXPECT_GE(fold.failed_bytes(), 130u);
  (void)fold.take();
  const auto& known = fold.failed_bodies();
  ASSERT_EQ(known.size(), 2u) << "of the third the tables know";
  EXPECT_EQ(known.at(5), (body_location{5, 1, 100}));
  EXPECT_EQ(known.at(4), (body_location{9, 2, 30}));
  EXPECT_EQ(fold.failed_bytes(), 0u);
}

// -- any journal --------------------------------------------------------------

/// A journal as a shard and its users' actors write it.
class random_records {
public:
  record next() {
    switch (between(0, 9)) {
      case 0:
        return forget();
      case 1:
        return one_bad();
      case 2:
        return one_in(8) ? make_anew() : take(true);
      case 3:
      case 4:
      case 5:
        return take(false);
      default:
        return end();
    }
  }

private:
  struct living {
    item_id id = 0;
    std::string key;
    micros made_us = 0;
  };

  static int between(int first, int last) {
    return *rc::gen::inRange(first, last + 1);
  }

  static bool one_in(int count) {
    return between(1, count) == 1;
  }

  std::string draw_key() {
    return std::string(1, static_cast<char>('a' + between(0, 3)));
  }

  record take(bool by_hand) {
    const auto key = draw_key();
    if (!by_hand && (live_.contains(key) || over_.contains(key)))
      return end();
    live_[key] = ++id_;
    over_.erase(key);
    items_.push_back({id_, key, made_us_});
    return {"U", {item_of(id_), taken(id_, key, made_us_)}};
  }

  record end() {
    if (items_.empty())
      return {"", {server_changed{}}};
    const auto at =
      static_cast<std::size_t>(between(0, static_cast<int>(items_.size()) - 1));
    const auto x = items_[at];
    items_.erase(items_.begin() + static_cast<std::ptrdiff_t>(at));
    if (x.made_us == made_us_ && live_.contains(x.key)
        && live_[x.key] == x.id) {
      live_.erase(x.key);
      over_.insert(x.key);
    }
    return {"U", {ended(x.id, x.key, one_in(2), x.made_us), end_of_item(x.id)}};
  }

  record forget() {
    records_forgotten out{"s", made_us_, false, {}, {}};
    for (const auto& key : over_)
      if (one_in(2))
        out.keys.push_back(key);
    for (const auto digest : bad_)
      if (one_in(2))
        out.refused.push_back(digest);
    for (const auto& key : out.keys)
      over_.erase(key);
    for (const auto digest : out.refused)
      bad_.erase(digest);
    return {"", {out}};
  }

  record one_bad() {
    auto x = refused(static_cast<std::uint64_t>(between(1, 4)));
    x.made_us = made_us_;
    if (!bad_.insert(x.digest).second)
      return end();
    return {"", {x}};
  }

  record make_anew() {
    const records_forgotten out{"s", made_us_, true, {}, {}};
    ++made_us_;
    live_.clear();
    over_.clear();
    bad_.clear();
    return {"", {out}};
  }

  micros made_us_ = 7;
  item_id id_ = 0;
  std::map<std::string, item_id> live_;
  std::set<std::string> over_;
  std::set<std::uint64_t> bad_;
  std::vector<living> items_;
};

/// A fold, and the tables that its slices go to.
struct projected_records {
  rules::slice_fold fold{0};
  projection_tables tables;
  std::unique_ptr<projection_store> store = make_memory_projection();

  projected_records() {
    fold.without_submissions("q");
  }

  void take() {
    const auto x = fold.take();
    tables.apply(x);
    const auto done = store->apply(x);
    RC_ASSERT(static_cast<bool>(done));
  }

  /// The store holds what the maps do, and its sums are right.
  void check() {
    decltype(tables.records) records;
    const auto failed = store->load_records([&](const record_row& x) {
      records[{x.source, x.made_us, x.key, x.refused}] = x;
    });
    RC_ASSERT(!failed);
    auto expected = tables.records;
    for (auto& entry : expected)
      entry.second.body.clear();
    RC_ASSERT(records == expected);
    decltype(tables.ended) totals;
    const auto lost = store->load_record_totals([&](const record_totals& x) {
      totals[{x.source, x.made_us}] = {x.finished, x.failed};
    });
    RC_ASSERT(!lost);
    RC_ASSERT(totals == tables.ended);
  }
};

RC_GTEST_PROP(record_slices, are_the_same_wherever_the_journal_is_cut, ()) {
  testing::compare_cuts<random_records, projected_records>(
    100, [](auto& x) { x.check(); });
}

} // namespace
} // namespace depositd
