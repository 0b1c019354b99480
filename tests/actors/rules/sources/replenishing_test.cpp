// When a source is read, what its batches do, and which position is stored.

#include "actors/rules/sources/replenishing.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <random>
#include <set>

namespace depositd::rules {

namespace {

constexpr micros ms = 1000;

pulled_batch keys(const std::vector<std::string>& names,
                  const std::string& cursor = "") {
  pulled_batch out;
  for (const auto& name : names)
    out.records.push_back({name, "u", "{}", ""});
  out.cursor = cursor;
  out.has_cursor = !cursor.empty();
  return out;
}

class replenishing_test : public ::testing::Test {
protected:
  replenishing_test() {
    by_.capacity = 4;
    by_.timeout_ms = 100;
    by_.poll_interval_ms = 50;
    by_.retry_delay_ms = 10;
    by_.retry_delay_ms_max = 35;
    source_.set(by_);
  }

  /// A whole replenish at `now_`.
  batch_taken bring(pulled_batch x) {
    const auto asked = source_.start(now_);
    EXPECT_TRUE(asked);
    auto out = source_.brought(asked ? asked->number : 0, std::move(x), now_);
    EXPECT_TRUE(out);
    return out.value_or(batch_taken{});
  }

  source_settings by_;
  replenishing source_{"src", source_settings{}, 100};
  micros now_ = 1'000'000;
};

} // namespace

TEST_F(replenishing_test, asks_for_the_room_once_and_again_at_the_threshold) {
  const auto first = source_.start(now_);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->limit, 4u);
  EXPECT_EQ(first->deadline_us, now_ + 100 * ms);
  EXPECT_FALSE(source_.start(now_)) << "one at a time";
  source_.brought(first->number, keys({"a", "b", "c"}), now_);
  EXPECT_FALSE(source_.start(now_)) << "above the threshold of 2";
  EXPECT_EQ(source_.take()->key, "a");
  const auto second = source_.start(now_);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->limit, 2u);
}

TEST_F(replenishing_test, drops_what_waits_is_in_flight_or_is_over) {
  bring(keys({"a", "b", "a"}));
  EXPECT_EQ(source_.buffer().size(), 2u);
  source_.take();
  source_.known().end("a", record_state::finished);
  const auto out = bring(keys({"a", "b", "c"}));
  EXPECT_EQ(out.added, 1u);
  EXPECT_EQ(out.duplicates, 2u);
  EXPECT_EQ(out.applied_again, std::vector<std::string>{"a"});
  EXPECT_EQ(source_.facts().duplicates, 3u);
  EXPECT_EQ(source_.record("a"), record_state::finished);
  EXPECT_EQ(source_.record("b"), record_state::buffered);
  EXPECT_EQ(source_.record("z"), record_state::unknown);
}

TEST_F(replenishing_test, waits_for_the_poll_interval_when_nothing_new_came) {
  bring(keys({}));
  EXPECT_FALSE(source_.start(now_ + 50 * ms - 1));
  EXPECT_EQ(source_.due_us(), now_ + 50 * ms);
  EXPECT_TRUE(source_.start(now_ + 50 * ms));
}

TEST_F(replenishing_test, goes_on_at_once_while_the_cursor_moves) {
  by_.ends = true;
  source_.set(by_);
  bring(keys({"a"}, "1"));
  source_.take();
  bring(keys({"a"}, "2")); // after a restart all that comes first is known
  EXPECT_EQ(source_.state(), source_state::running);
  EXPECT_EQ(source_.start(now_)->cursor, "2");
}

TEST_F(replenishing_test, backs_off_twice_as_long_after_each_failure) {
  for (const micros wait : {10, 20, 35, 35}) {
    const auto asked = source_.start(now_);
    ASSERT_TRUE(asked);
    EXPECT_TRUE(source_.failed(asked->number, "no route", now_));
    EXPECT_EQ(source_.state(), source_state::failing);
    EXPECT_EQ(source_.facts().error, "src: no route");
    EXPECT_FALSE(source_.start(now_ + wait * ms - 1));
    now_ += wait * ms;
  }
  EXPECT_EQ(source_.facts().failures, 4u);
  bring(keys({"a"}));
  EXPECT_EQ(source_.facts().failures, 0u);
  EXPECT_EQ(source_.facts().error, "");
  EXPECT_EQ(source_.state(), source_state::running);
  EXPECT_EQ(source_.facts().replenishes, 5u);
}

TEST_F(replenishing_test, what_takes_too_long_is_cancelled_and_counts_nothing) {
  const auto asked = source_.start(now_);
  EXPECT_FALSE(source_.expire(now_ + 100 * ms - 1));
  EXPECT_EQ(source_.expire(now_ + 100 * ms), asked->number);
  EXPECT_EQ(source_.facts().failures, 1u);
  EXPECT_FALSE(source_.brought(asked->number, keys({"a"}, "9"), now_));
  EXPECT_FALSE(source_.failed(asked->number, "cancelled", now_));
  EXPECT_EQ(source_.buffer().size(), 0u);
  EXPECT_EQ(source_.cursor(), std::nullopt);
  EXPECT_TRUE(source_.start(now_ + 200 * ms));
}

TEST_F(replenishing_test, more_than_asked_is_read_again_and_not_skipped) {
  auto batch = keys({"a", "b", "c", "d", "e", "f"}, "6");
  bring(batch);
  EXPECT_EQ(source_.buffer().size(), 4u);
  EXPECT_EQ(source_.cursor(), std::nullopt);
  for (int i = 0; i < 4; ++i)
    source_.take();
  for (std::size_t i = 0; i < batch.records.size(); ++i)
    batch.records[i].cursor = std::to_string(i + 1);
  batch.records.push_back({"g", "u", "{}", "7"});
  batch.records.push_back({"h", "u", "{}", "8"});
  batch.records.push_back({"i", "u", "{}", "9"});
  batch.bad = {{"x", "u", "early", "", 2}, {"y", "u", "late", "", 9}};
  const auto out = bring(batch);
  EXPECT_EQ(out.added, 4u);
  EXPECT_EQ(out.bad.size(), 1u);
  EXPECT_EQ(source_.cursor(), "8");
}

TEST_F(replenishing_test, bad_records_are_passed_over_and_named_once) {
  pulled_batch batch = keys({"good"}, "1");
  batch.records.push_back({"", "u", "{}", ""});
  batch.records.push_back({"large", "u", std::string(101, 'x'), ""});
  batch.records.push_back({"bytes", "u", "\xff", ""});
  batch.records.push_back({"good", "u", "{\"other\":1}", ""});
  batch.records.push_back({"last", "u", "{}", ""});
  batch.bad.push_back({"", "", "line 7 is no JSON object", "garbage", 0});
  auto out = bring(batch);
  EXPECT_EQ(out.added, 2u);
  EXPECT_EQ(out.bad.size(), 5u);
  EXPECT_EQ(source_.facts().bad, 5u);
  EXPECT_EQ(source_.facts().bad_last, "src: line 7 is no JSON object");
  EXPECT_EQ(source_.cursor(), "1");
  out = bring(batch);
  EXPECT_EQ(out.bad.size(), 0u) << "the same ones again";
  EXPECT_EQ(source_.facts().bad, 5u);
}

TEST_F(replenishing_test, very_many_bad_records_are_named_once_as_well) {
  const auto bad = [](std::size_t count) {
    pulled_batch out;
    for (std::size_t i = 0; i < count; ++i)
      out.bad.push_back({std::to_string(i), "u", "is bad", "{}", 0});
    return out;
  };
  const auto pass = [this](pulled_batch x) {
    now_ += 100 * ms;
    return bring(std::move(x));
  };
  EXPECT_EQ(pass(bad(20'000)).bad.size(), 20'000u);
  EXPECT_EQ(pass(bad(20'000)).bad.size(), 0u) << "the next pass";
  EXPECT_EQ(pass(bad(bad_seen_max + 7)).bad.size(), bad_seen_max - 20'000);
  EXPECT_EQ(pass(bad(bad_seen_max + 7)).bad.size(), 0u);
  EXPECT_EQ(source_.facts().bad, bad_seen_max);
  EXPECT_NE(source_.facts().bad_last.find("more than 200000 are bad"),
            std::string::npos);
  auto behind = bad(1);
  behind.cursor = "9";
  behind.has_cursor = true;
  pass(behind);
  behind.cursor = "10";
  EXPECT_EQ(pass(behind).bad.size(), 1u) << "others than before";
}

TEST_F(replenishing_test, a_body_that_differs_from_the_one_in_flight_is_bad) {
  bring(keys({"a"}));
  source_.take();
  auto batch = keys({"a"});
  batch.records[0].body = "[]";
  EXPECT_EQ(bring(batch).bad.at(0).reason,
            "a record of this key waits with another body");
}

TEST_F(replenishing_test, without_a_user_field_all_belong_to_the_source) {
  auto batch = keys({"a", "b"});
  batch.records[0].user.clear();
  bring(batch);
  EXPECT_EQ(source_.take()->user, "src");
  EXPECT_EQ(source_.take()->user, "u");
  by_.user_field = "owner";
  source_.set(by_);
  batch = keys({"c"});
  batch.records[0].user.clear();
  EXPECT_EQ(bring(batch).bad.at(0).reason, "has no user");
}

TEST_F(replenishing_test, a_pause_keeps_the_buffer_and_reads_nothing) {
  bring(keys({"a"}));
  const auto asked = source_.start(now_);
  source_.pause();
  EXPECT_EQ(source_.state(), source_state::paused);
  EXPECT_EQ(source_.ready(), 0u);
  EXPECT_FALSE(source_.take());
  EXPECT_TRUE(source_.brought(asked->number, keys({"b"}), now_));
  EXPECT_FALSE(source_.start(now_));
  EXPECT_EQ(source_.due_us(), never);
  source_.resume();
  EXPECT_EQ(source_.ready(), 2u);
  EXPECT_TRUE(source_.start(now_));
}

TEST_F(replenishing_test, ends_when_nothing_new_came_and_reads_on_if_resumed) {
  by_.ends = true;
  source_.set(by_);
  bring(keys({"a"}));
  EXPECT_EQ(source_.state(), source_state::running);
  bring(keys({"a"}));
  EXPECT_EQ(source_.state(), source_state::ended);
  EXPECT_FALSE(source_.start(now_ + 1000 * ms));
  EXPECT_EQ(source_.ready(), 1u) << "what it brought is still fed";
  source_.resume();
  EXPECT_TRUE(source_.start(now_));
}

TEST_F(replenishing_test, a_full_batch_of_what_waits_is_not_the_end) {
  by_.ends = true;
  source_.set(by_);
  const std::vector<std::string> first{"a", "b", "c", "d"};
  bring(keys(first));
  for (std::size_t i = 0; i < first.size(); ++i)
    source_.take();
  bring(keys(first));
  EXPECT_EQ(source_.state(), source_state::running);
  for (const auto& key : first)
    source_.known().end(key, record_state::finished);
  now_ += 50 * ms;
  bring(keys(first));
  EXPECT_EQ(source_.state(), source_state::ended);
}

TEST_F(replenishing_test, a_pass_that_brought_nothing_waits_at_its_end_only) {
  const auto pass = [this] {
    auto out = bring(keys({"a"}, "1")).added;
    auto last = keys({"b"});
    last.has_cursor = true; // from the beginning again
    last.ended = true;
    return out + bring(last).added;
  };
  EXPECT_EQ(pass(), 2u);
  EXPECT_EQ(source_.cursor(), "");
  EXPECT_EQ(source_.due_us(), 1) << "what came meanwhile is looked for";
  EXPECT_EQ(pass(), 0u);
  EXPECT_FALSE(source_.start(now_ + 50 * ms - 1)) << "though the cursor moved";
  EXPECT_TRUE(source_.start(now_ + 50 * ms));
}

TEST_F(replenishing_test, a_pass_that_brought_anything_is_not_the_end) {
  by_.ends = true;
  source_.set(by_);
  auto last = keys({"b"});
  last.has_cursor = true;
  last.ended = true;
  bring(keys({"a"}, "1"));
  bring(last);
  EXPECT_EQ(source_.state(), source_state::running);
  bring(keys({"a"}, "1"));
  EXPECT_EQ(source_.state(), source_state::running);
  bring(last);
  EXPECT_EQ(source_.state(), source_state::ended);
}

TEST_F(replenishing_test, the_rest_of_a_pass_after_a_restart_is_not_the_end) {
  by_.ends = true;
  source_.set(by_);
  source_.known().remember("b", record_state::finished);
  source_.restore("1", false, false);
  auto last = keys({"b"});
  last.has_cursor = true;
  last.ended = true;
  bring(last);
  EXPECT_EQ(source_.state(), source_state::running);
  now_ += 50 * ms;
  bring(last);
  EXPECT_EQ(source_.state(), source_state::ended);
}

TEST_F(replenishing_test, the_stored_position_waits_for_all_before_it) {
  bring(keys({"a", "b"}, "2"));
  const auto a = *source_.take();
  const auto b = *source_.take();
  bring(keys({"c"}, "3"));
  const auto c = *source_.take();
  source_.applied(c.tag);
  source_.applied(b.tag);
  EXPECT_EQ(source_.moved(), std::nullopt);
  source_.applied(a.tag);
  EXPECT_EQ(source_.moved(), "3");
  EXPECT_EQ(source_.moved(), std::nullopt) << "told once";
}

TEST_F(replenishing_test, a_record_fed_by_hand_replaces_the_one_that_waits) {
  bring(keys({"a"}, "1"));
  source_.forget("a");
  EXPECT_EQ(source_.record("a"), record_state::unknown);
  EXPECT_EQ(source_.moved(), "1");
}

// A source with a cursor, read and fed at random, failing, late, repeating
// itself, with crashes that go back to the stored position and forget the
// buffer: nothing is skipped, nothing is handed on twice.
RC_GTEST_PROP(replenishing_property, hands_every_record_on_once, ()) {
  std::mt19937_64 random{*rc::gen::arbitrary<std::uint64_t>()};
  const auto choose = [&](int n) { return static_cast<int>(random() % n); };
  source_settings by;
  by.capacity = 1 + choose(8);
  by.replenish_threshold = choose(static_cast<int>(by.capacity));
  constexpr int records = 60;
  micros now = 1;
  std::string stored;
  std::set<std::string> handed_on;
  std::vector<std::string> known;
  replenishing source{"s", by, 100};
  std::vector<std::uint64_t> in_flight;
  for (int step = 0; step < 5000; ++step) {
    now += 70'000'000;
    const auto what = choose(20);
    if (what == 0) {
      source = replenishing{"s", by, 100};
      for (const auto& key : known) // as the shards tell it
        source.known().remember(key, record_state::finished);
      source.restore(stored, false, false);
      in_flight.clear();
    } else if (what < 8) {
      const auto asked = source.start(now);
      if (!asked)
        continue;
      if (choose(4) == 0) {
        source.failed(asked->number, "", now);
        continue;
      }
      const int from = asked->cursor.empty() ? 0 : std::stoi(asked->cursor);
      const int to =
        std::min(records, from + static_cast<int>(asked->limit) + choose(3));
      pulled_batch batch;
      for (int i = std::max(0, from - choose(3)); i < to; ++i)
        batch.records.push_back({std::to_string(i), "u", "", ""});
      if (choose(2) == 0)
        for (auto& x : batch.records)
          x.cursor = std::to_string(std::max(from, std::stoi(x.key) + 1));
      batch.cursor = std::to_string(to);
      batch.has_cursor = true;
      source.brought(asked->number, batch, now);
      RC_ASSERT(source.buffer().size() <= by.capacity);
    } else if (what < 14) {
      const auto x = source.take();
      if (!x)
        continue;
      RC_ASSERT(handed_on.insert(x->key).second);
      known.push_back(x->key);
      in_flight.push_back(x->tag);
    } else if (!in_flight.empty()) {
      const auto at =
        in_flight.begin() + choose(static_cast<int>(in_flight.size()));
      source.applied(*at);
      in_flight.erase(at);
      if (auto moved = source.moved())
        stored = *moved;
    }
  }
  RC_ASSERT(handed_on.size() == std::size_t{records});
}

TEST(cursor_book_test, batches_without_a_cursor_or_records_hold_nothing_up) {
  cursor_book book;
  const auto first = book.opened("1", 1);
  EXPECT_EQ(book.opened(std::nullopt, 0), first + 1);
  book.opened("3", 0);
  EXPECT_EQ(book.moved(), std::nullopt);
  EXPECT_EQ(book.outstanding(), 1u);
  book.applied(first);
  EXPECT_EQ(book.moved(), "3");
  book.applied(first); // of a batch that is over
  book.applied(0);     // fed by hand
  EXPECT_EQ(book.outstanding(), 0u);
}

} // namespace depositd::rules
