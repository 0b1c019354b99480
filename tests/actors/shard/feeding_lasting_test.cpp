// Records of sources across crashes, the positions of their sources, and what
// schedulers are asked.

#include "tests/actors/shard/feeding_fixture.hpp"

#include <caf/event_based_actor.hpp>

namespace depositd {

namespace {

using namespace std::chrono_literals;
using testing::record_feeding_test;

// -- across crashes -----------------------------------------------------------

TEST_F(record_feeding_test, knows_all_of_it_after_a_crash) {
  feed(strings{"live1", "done1", "failed1"});
  auto taken = poll("q");
  ASSERT_EQ(taken.size(), 3u);
  finish("q", {taken[1].name});
  finish("q", {taken[2].name}, verdict::failed);
  project(); // some from the tables, some from the journal behind them
  feed(strings{"live2", "done2"});
  taken = poll("q");
  ASSERT_EQ(taken.size(), 2u);
  finish("q", {taken[1].name});
  for (auto round = 0; round < 3; ++round) {
    restart();
    EXPECT_EQ(feed(strings{"live1", "live2", "done1", "done2", "failed1"}),
              (states{queued, queued, finished, finished, failed}));
    EXPECT_EQ(state_of("live1"), record_state::claimed);
    const auto now = counts();
    EXPECT_EQ(now.claimed, 2u);
    EXPECT_EQ(now.queued, 0u);
    EXPECT_EQ(now.finished, 2u);
    EXPECT_EQ(now.failed, 1u);
    EXPECT_EQ(now.remembered, 3u);
    EXPECT_EQ(measured({"ann"}).of_users, std::vector<std::uint64_t>{2});
    if (round == 1)
      project();
  }
  finish("q", {taken[0].name});
  EXPECT_EQ(state_of("live2"), finished);
  EXPECT_EQ(counts().finished, 3u);
}

TEST_F(record_feeding_test, ends_records_whose_processor_died_with_the_engine) {
  settings.attempts_max = 1;
  ASSERT_TRUE(change({queue_changed{"q", settings}}));
  feed(strings{"k1", "k2"});
  auto sp = attach_to("q");
  want(sp, 1);
  ASSERT_EQ(sp.got->items.size(), 1u);
  restart();
  EXPECT_EQ(state_of("k1"), failed);
  EXPECT_EQ(state_of("k2"), queued);
  EXPECT_EQ(counts().failed, 1u);
  EXPECT_EQ(counts().claimed, 0u);
  project();
  restart();
  EXPECT_EQ(state_of("k1"), failed);
  const auto kept = failed_rows();
  ASSERT_EQ(kept.size(), 1u);
  EXPECT_EQ(kept[0].body, "body of k1");
}

// -- sources and positions ----------------------------------------------------

TEST_F(record_feeding_test, a_later_source_of_the_name_begins_anew) {
  feed(strings{"k1"});
  feed(strings{"k2"});
  work_off(1);
  remove_source("a");
  EXPECT_EQ(refusal_of(message({"k"})), ec::stale_claim);
  EXPECT_EQ(counts().finished, 0u);
  add_source("a", 8);
  EXPECT_EQ(refusal_of(message({"k"})), ec::stale_claim);
  made_us = 8;
  for (auto round = 0; round < 2; ++round) {
    EXPECT_EQ(feed(strings{"k1"}), states{round == 0 ? unknown : queued});
    EXPECT_EQ(counts().queued, 1u);
    EXPECT_EQ(counts().finished, 0u);
    project();
    restart();
  }
  EXPECT_EQ(size("q"), 2u) << "what was queued stays";
  work_off(2);
  EXPECT_EQ(counts().finished, 1u);
}

TEST_F(record_feeding_test, keeps_positions) {
  source_read what;
  what.source = "a";
  what.made_us = 7;
  what.has_cursor = true;
  what.cursor = "17";
  const auto watched = std::make_shared<int>(0);
  const auto watcher = spawn([=](caf::event_based_actor*) -> caf::behavior {
    return {[=](const control_changed&) { ++*watched; }};
  });
  ASSERT_TRUE(ask<control_changed>(
    core, watch_control{caf::actor_cast<caf::strong_actor_ptr>(watcher)}));
  ASSERT_TRUE(ask<done>(core, keep_position{what}));
  what.cursor = "18";
  ASSERT_TRUE(ask<done>(core, keep_position{what}));
  ASSERT_TRUE(ask<done>(core, keep_position{what}));
  EXPECT_EQ(*watched, 0) << "it concerns nobody else";
  restart();
  EXPECT_EQ(control()->positions.at("a"), what);
  project();
  restart();
  EXPECT_EQ(control()->positions.at("a"), what);
}

TEST_F(record_feeding_test, refuses_positions_of_other_sources) {
  source_read what;
  what.source = "b";
  what.made_us = 7;
  EXPECT_EQ(ask<done>(core, keep_position{what}).error(), ec::not_found);
  what.source = "a";
  what.made_us = 6;
  EXPECT_EQ(ask<done>(core, keep_position{what}).error(), ec::stale_claim);
  what.made_us = 7;
  what.cursor.assign(1 << 20, 'x');
  EXPECT_EQ(ask<done>(core, keep_position{what}).error(), ec::invalid_argument);
  EXPECT_TRUE(control()->positions.empty());
}

TEST_F(record_feeding_test, a_position_goes_with_its_source) {
  source_read what;
  what.source = "a";
  what.made_us = 7;
  ASSERT_TRUE(ask<done>(core, keep_position{what}));
  remove_source("a");
  EXPECT_TRUE(control()->positions.empty());
  restart();
  EXPECT_TRUE(control()->positions.empty());
}

// -- schedulers ---------------------------------------------------------------

schedulers_actor::behavior_type asked_schedulers(schedulers_actor::pointer,
                                                 std::string next) {
  return {
    [](const control_changed&) {},
    [](const report_schedulers& x) {
      schedulers_reported out;
      out.schedulers.emplace_back().name = x.scheduler;
      return out;
    },
    [](const find_record&) { return record_found{record_state::buffered}; },
    [next](const explain_strategy& x) {
      strategy_explained out;
      out.strategy = x.strategy;
      out.next = next;
      return out;
    },
    [](const test_source&) { return source_tested{}; },
    [](const feed_by_hand& x) {
      return fed_by_hand{x.records.size(), {}};
    },
  };
}

TEST_F(record_feeding_test, passes_on_what_operators_ask) {
  const auto none = ask<schedulers_reported>(core, report_schedulers{});
  ASSERT_TRUE(none);
  EXPECT_TRUE(none->schedulers.empty());
  EXPECT_EQ(ask<schedulers_reported>(core, report_schedulers{"main"}).error(),
            ec::not_found);
  EXPECT_EQ(ask<source_tested>(core, test_source{"main", "a"}).error(),
            ec::not_found);
  const auto who = spawn(asked_schedulers, std::string{"b"});
  const auto meet = [&](const caf::strong_actor_ptr& whom) {
    caf::anon_send(core, meet_schedulers{whom});
    settle();
  };
  meet(caf::actor_cast<caf::strong_actor_ptr>(who));
  const auto some = ask<schedulers_reported>(core, report_schedulers{"main"});
  ASSERT_TRUE(some);
  EXPECT_EQ(some->schedulers.at(0).name, "main");
  EXPECT_EQ(ask<record_found>(core, find_record{"main", "a", "k"})->state,
            record_state::buffered);
  const auto explained =
    ask<strategy_explained>(core, explain_strategy{"main", "a"});
  ASSERT_TRUE(explained);
  EXPECT_EQ(explained->strategy, "a");
  EXPECT_EQ(explained->next, "b");
  EXPECT_TRUE(ask<source_tested>(core, test_source{"main", "a"}));
  EXPECT_EQ(ask<fed_by_hand>(core, feed_by_hand{"main", "a", {{}, {}}})->fed,
            2u);
  meet(nullptr);
  EXPECT_EQ(ask<record_found>(core, find_record{"main", "a", "k"}).error(),
            ec::not_found);
}

} // namespace

} // namespace depositd
