// How the projector divides its time.

#include "actors/projection/projector.hpp"

#include "adapters/stores/memory/memory_journal_store.hpp"
#include "messages/values/codec.hpp"
#include "tests/support/actor_fixture.hpp"
#include "tests/support/memory_tables.hpp"

#include <chrono>
#include <memory>
#include <string>

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
      std::string bytes;
      std::vector<body_slot> ignored;
      encode(record{"ann", {event{x}}}, bytes, ignored);
      ASSERT_TRUE(journal->append(bytes, 1, {}));
    }
  }

  static constexpr std::chrono::milliseconds pause{500};

  std::shared_ptr<memory_journal> log = make_memory_journal();
  std::unique_ptr<journal_store> journal = open_memory_journal(log);
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
  const auto found = ask<items_found>(projector, peek_items{"q", 100});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->rows.size(), 9u);
}

} // namespace

} // namespace depositd
