// How the projector divides its time.

#include "actors/projection/projector.hpp"

#include "adapters/stores/memory/memory_journal_store.hpp"
#include "messages/values/codec.hpp"
#include "tests/support/actor_fixture.hpp"
#include "tests/support/captured_log.hpp"
#include "tests/support/memory_tables.hpp"
#include "tests/support/watched_journal.hpp"

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace depositd {

namespace {

using testing::actor_fixture;

class slices : public actor_fixture {
protected:
  slices() {
    projection::projector_options options;
    options.journal = journal.get();
    options.projection = tables.get();
    options.slice_events_max = 2;
    options.pause = pause;
    options.pause_max = pause;
    options.events_per_pause = 1'000;
    projector = caf::actor_cast<projector_actor>(
      spawn(projection::projector, options));
    // Whoever it is: nothing is written again here.
    caf::anon_send(projector,
                   meet_shard{caf::actor_cast<caf::strong_actor_ptr>(self)});
    settle();
  }

  void append_items(item_id first, item_id last) {
    for (auto id = first; id <= last; ++id) {
      item_enqueued x;
      x.id = id;
      x.queue = "q";
      x.body = "body";
      append_event(x);
    }
  }

  void append_ends(item_id first, item_id last) {
    for (auto id = first; id <= last; ++id)
      append_event(item_finished{.id = id, .queue = "q"});
  }

  void append_submission(item_id id, const std::string& file) {
    item_enqueued x;
    x.id = id;
    x.queue = "q";
    x.body = "body";
    submission_received y;
    y.id = id;
    y.queue = "q";
    y.submission.file_name = file;
    append({std::move(x), std::move(y)});
  }

  void append_event(event x) {
    append({std::move(x)});
  }

  void append(std::vector<event> events) {
    std::string bytes;
    std::vector<body_slot> ignored;
    const auto count = events.size();
    encode(record{"ann", std::move(events)}, bytes, ignored);
    ASSERT_TRUE(journal->append(bytes, count, {}));
  }

  void poll(const std::string& file, submission_status expected) {
    submission_query what;
    what.user = "ann";
    what.file_name = file;
    what.count_max = 1;
    const auto found = ask<submissions_found>(projector, what);
    ASSERT_TRUE(found) << render(found.error());
    ASSERT_EQ(found->rows.size(), 1u);
    EXPECT_EQ(found->rows[0].status, expected);
  }

  void read_tables(std::size_t items) {
    const auto found = ask<items_found>(projector, peek_items{"q", 100});
    ASSERT_TRUE(found) << render(found.error());
    EXPECT_EQ(found->rows.size(), items);
  }

  static constexpr std::chrono::milliseconds pause{500};

  std::shared_ptr<memory_journal> log =
    make_memory_journal({.segment_bytes = 100});
  std::unique_ptr<testing::watched_journal> journal =
    std::make_unique<testing::watched_journal>(open_memory_journal(log));
  std::unique_ptr<projection_store> tables = make_memory_projection();
  projector_actor projector;
};

TEST_F(slices, let_in_between_who_asks_how_far_it_is) {
  append_items(1, 10);
  sched.advance_time(pause);
  const auto answer = ask<store_report>(projector, report_store{});
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->journalled, 10u);
  EXPECT_EQ(answer->projected, 2u);
  EXPECT_EQ(tables->reached(), 10u) << "the rest came without a pause";
}

TEST_F(slices, end_where_the_journal_did_when_they_began) {
  append_items(1, 3);
  sched.advance_time(pause);
  sched.run_once();
  append_items(4, 9);
  settle();
  EXPECT_LE(tables->reached(), 4u) << "what comes meanwhile waits for a pause";
  EXPECT_GE(tables->reached(), 3u);
  advance(pause);
  EXPECT_EQ(tables->reached(), 9u);
}

TEST_F(slices, are_all_there_for_who_reads_the_tables) {
  append_items(1, 9);
  read_tables(9);
}

TEST_F(slices, that_somebody_asked_for_are_kept_after_a_pause) {
  append_items(1, 4);
  read_tables(4);
  advance(pause);
  tables->roll_back();
  EXPECT_EQ(tables->reached(), 4u);
}

TEST_F(slices, are_not_cut_short_for_who_polls) {
  append_submission(1, "a.xml");
  poll("a.xml", submission_status::queued);
  append_ends(1, 1);
  poll("a.xml", submission_status::completed);
  EXPECT_EQ(tables->reached(), 2u) << "one slice was full, the other is not";
  advance(pause);
  EXPECT_EQ(tables->reached(), 3u);
  poll("a.xml", submission_status::completed);
}

TEST_F(slices, that_somebody_polled_are_folded_once) {
  append_submission(1, "a.xml");
  append_items(2, 2);
  poll("a.xml", submission_status::queued);
  poll("a.xml", submission_status::queued);
  read_tables(2);
  EXPECT_EQ(tables->reached(), 3u);
}

TEST_F(slices, that_went_back_are_there_for_who_polls) {
  append_submission(1, "a.xml");
  append_ends(1, 1);
  advance(pause);
  advance(pause);
  append_submission(2, "b.xml");
  read_tables(1);
  tables->roll_back();
  poll("b.xml", submission_status::queued);
  append_submission(3, "c.xml");
  read_tables(2);
  tables->roll_back();
  poll("b.xml", submission_status::queued);
  poll("a.xml", submission_status::completed);
}

TEST_F(slices, that_went_back_are_counted_again) {
  append_items(1, 4);
  read_tables(4);
  tables->roll_back(); // as a commit that fails
  ASSERT_EQ(tables->reached(), 0u) << "nobody has kept them";
  append_items(5, 6);
  advance(pause);
  EXPECT_EQ(tables->reached(), 6u);
  append_ends(1, 6);
  append_items(7, 9);
  advance(pause);
  append_ends(7, 9);
  advance(pause);
  read_tables(0);
  ASSERT_EQ(journal->segments().size(), 1u) << "nothing in the others lives";
  EXPECT_TRUE(journal->segments().front().open);
}

TEST_F(slices, that_cannot_be_read_are_told_once_and_when_they_can_be) {
  const testing::captured_log said;
  std::string reason = "away";
  journal->before_read = [&]() -> caf::error {
    if (reason.empty())
      return {};
    return caf::make_error(ec::store_failed, reason);
  };
  append_items(1, 2);
  for (int i = 0; i < 5; ++i)
    advance(pause);
  EXPECT_FALSE(ask<items_found>(projector, peek_items{"q", 100}));
  EXPECT_EQ(said.count("projection_failed"), 1u) << said.text();
  reason = "no answer";
  for (int i = 0; i < 5; ++i)
    advance(pause);
  EXPECT_EQ(said.count("projection_failed"), 2u) << "another reason";
  EXPECT_EQ(said.count("projection_goes_on"), 0u);
  reason = "";
  for (int i = 0; i < 5; ++i)
    advance(pause);
  EXPECT_EQ(said.count("projection_goes_on"), 1u) << said.text();
  read_tables(2);
}

TEST_F(slices, whose_segments_stay_tell_it_once_and_when_they_go) {
  const testing::captured_log said;
  bool fails = true;
  journal->before_drop = [&]() -> caf::error {
    return fails ? caf::make_error(ec::store_failed, "away") : caf::error{};
  };
  append_items(1, 9);
  append_ends(1, 9);
  for (int i = 0; i < 5; ++i)
    advance(pause);
  EXPECT_GT(journal->segments().size(), 2u);
  EXPECT_EQ(said.count("journal_drop_failed"), 1u) << said.text();
  EXPECT_EQ(said.count("journal_drops_go_on"), 0u);
  fails = false;
  for (int i = 0; i < 5; ++i)
    advance(pause);
  EXPECT_EQ(journal->segments().size(), 1u);
  EXPECT_EQ(said.count("journal_drop_failed"), 1u) << said.text();
  EXPECT_EQ(said.count("journal_drops_go_on"), 1u) << said.text();
}

} // namespace

} // namespace depositd
