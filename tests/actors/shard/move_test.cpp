// Moves between queues, and what a crash makes of them.

#include "tests/support/polling_fixture.hpp"

namespace depositd {

namespace {

using namespace std::chrono_literals;

class move_test : public testing::polling_fixture {
protected:
  void SetUp() override {
    start();
  }

  move_status status_of(const std::string& reference) {
    const auto all = moves();
    const auto at = all.find(reference);
    EXPECT_NE(at, all.end()) << "no move " << reference;
    return at == all.end() ? move_status::error : at->second.status;
  }

  static strings numbered(int count) {
    strings out;
    for (int i = 0; i < count; ++i)
      out.push_back(std::string{"m"}.append(std::to_string(1000 + i)));
    return out;
  }
};

TEST_F(move_test, of_an_empty_or_unknown_queue_completes) { // V1
  const auto reference = move("a", "b");
  EXPECT_EQ(reference.size(), 32u);
  EXPECT_EQ(status_of(reference), move_status::complete);
  EXPECT_EQ(size("b"), 0u);
  EXPECT_EQ(moves().at(reference).from, "a");
  EXPECT_EQ(moves().at(reference).to, "b");
}

TEST_F(move_test, brings_everything_with_its_ids_and_bodies) { // V2
  const auto ids = put("a", sent_by("ann", numbered(10)));
  put("b", sent_by("ann", {"there"}));
  const auto reference = move("a", "b");
  EXPECT_EQ(status_of(reference), move_status::complete);
  EXPECT_EQ(size("a"), 0u);
  EXPECT_TRUE(poll("a").empty());
  const auto got = poll("b");
  auto expected = numbered(10);
  expected.push_back("there");
  EXPECT_EQ(bodies_of(got), expected);
  EXPECT_EQ(got.at(0).name.id, ids.at(0));
  EXPECT_EQ(report_of("a").ready, 0u);
}

TEST_F(move_test, drops_claims_and_attempts) { // V3
  put("a", sent_by("ann", numbered(10)));
  const auto held = names_of(poll("a"));
  ASSERT_EQ(held.size(), 10u);
  move("a", "b");
  EXPECT_EQ(claims("a"), 0u);
  EXPECT_EQ(claims("b"), 0u);
  EXPECT_EQ(size("b"), 10u);
  EXPECT_EQ(finish("a", held), std::vector<std::uint8_t>(10, 0));
  EXPECT_EQ(size("b"), 10u) << "the source's ids mean nothing there";
  const auto got = poll("b");
  ASSERT_EQ(got.size(), 10u);
  EXPECT_EQ(got[0].attempt, 1u);
}

TEST_F(move_test, leaves_behind_what_was_acked) { // V4
  put("a", sent_by("ann", numbered(10)));
  finish("a", names_of(poll("a")));
  move("a", "b");
  EXPECT_EQ(size("b"), 0u);
}

TEST_F(move_test, takes_the_items_of_every_user_to_their_users) {
  put("a", sent_by("ann", {"1"}));
  put("a", sent_by("bob", {"2", "3"}));
  move("a", "b");
  const auto got = poll("b");
  ASSERT_EQ(got.size(), 3u);
  for (const auto& x : got)
    EXPECT_EQ(x.user, *x.body == "1" ? "ann" : "bob");
}

TEST_F(move_test, takes_delayed_and_parked_items_along) {
  put("a", sent_by("ann", {"1", "2"}));
  finish("a", names_of(poll("a", 1)), verdict::retry, 60'000);
  park_matching what;
  what.queue = "a";
  what.to_us = time_us * 2;
  ASSERT_TRUE(ask<matching_parked>(core, what));
  move("a", "b");
  EXPECT_EQ(polled("b"), (strings{"1", "2"}));
  EXPECT_EQ(size("a"), 0u);
}

TEST_F(move_test, leaves_delayed_items_delayed) {
  put("a", sent_by("ann", {"1", "2"}));
  finish("a", names_of(poll("a", 1)), verdict::retry, 60'000);
  move("a", "b");
  const auto got = poll("b");
  EXPECT_EQ(bodies_of(got), strings{"2"});
  finish("b", names_of(got));
  EXPECT_EQ(size("b"), 1u);
  crash();
  start();
  advance(59s);
  EXPECT_TRUE(polled("b").empty());
  advance(1s);
  EXPECT_EQ(polled("b"), strings{"1"});
}

TEST_F(move_test, counts_delayed_items_as_new_where_equal_ones_collapse) {
  put("dedupq/a", sent_by("ann", {"M", "N"}));
  finish("dedupq/a", names_of(poll("dedupq/a", 1)), verdict::retry, 60'000);
  move("dedupq/a", "dedupq/b");
  EXPECT_EQ(polled("dedupq/b"), (strings{"M", "N"}));
}

TEST_F(move_test, goes_on_over_many_appends) {
  for (int i = 0; i < 5; ++i)
    put("a", sent_by("ann", numbered(500)));
  const auto reference = move("a", "b");
  EXPECT_EQ(status_of(reference), move_status::complete);
  EXPECT_EQ(size("a"), 0u);
  EXPECT_EQ(size("b"), 2500u);
  EXPECT_EQ(report_of("b").ready, 2500u);
  EXPECT_EQ(poll("b", 1000).size(), 1000u);
}

TEST_F(move_test, wakes_a_processor_that_waits_at_the_destination) {
  put("a", sent_by("ann", {"1"}));
  auto sp = attach_to("b");
  want(sp, 1);
  move("a", "b");
  EXPECT_EQ(sp.got->bodies(), strings{"1"});
}

TEST_F(move_test, is_refused_where_it_makes_no_sense) { // V6
  const auto refused = [&](const std::string& from, const std::string& to) {
    auto out = ask<move_begun>(core, move_queue{from, to});
    return !out && out.error() == ec::invalid_argument;
  };
  EXPECT_TRUE(refused("a", "a"));
  EXPECT_TRUE(refused("", "a"));
  EXPECT_TRUE(refused("a", ""));
  EXPECT_TRUE(refused("A", "a"));
  EXPECT_TRUE(refused("a", "a/b"));
  EXPECT_TRUE(refused("metadata", "a"));
  EXPECT_TRUE(refused("a", "metadata"));
  EXPECT_TRUE(refused("a", "dedupq/a")) << "its items have no digests";
  EXPECT_TRUE(moves().empty());
}

TEST_F(move_test, works_in_both_directions_at_once) {
  put("a", sent_by("ann", numbered(1500)));
  put("b", sent_by("bob", {"x"}));
  auto there = self->request(core, caf::infinite, move_queue{"a", "b"});
  auto back = self->request(core, caf::infinite, move_queue{"b", "a"});
  settle();
  there.receive([](const move_begun&) {},
                [](const caf::error& e) { ADD_FAILURE() << render(e); });
  back.receive([](const move_begun&) {},
               [](const caf::error& e) { ADD_FAILURE() << render(e); });
  for (const auto& [reference, x] : moves())
    EXPECT_EQ(x.status, move_status::complete);
  EXPECT_EQ(size("a") + size("b"), 1501u);
}

TEST_F(move_test, leaves_what_is_sent_after_it_began) {
  put("a", sent_by("ann", {"early"}));
  auto moving = self->request(core, caf::infinite, move_queue{"a", "b"});
  auto sending = self->request(core, caf::infinite,
                               enqueue{"a", sent_by("ann", {"late"})});
  settle();
  moving.receive([](const move_begun&) {},
                 [](const caf::error& e) { ADD_FAILURE() << render(e); });
  sending.receive([](const enqueued&) {},
                  [](const caf::error& e) { ADD_FAILURE() << render(e); });
  EXPECT_EQ(polled("b"), strings{"early"});
  EXPECT_EQ(polled("a"), strings{"late"});
}

TEST_F(move_test, collapses_at_the_destination_like_what_is_fresh_there) {
  put("dedupq/a", sent_by("ann", {"M", "N"}));
  put("dedupq/a", sent_by("bob", {"M"}));
  put("dedupq/b", sent_by("cid", {"M", "O"}));
  move("dedupq/a", "dedupq/b");
  EXPECT_EQ(size("dedupq/b"), 5u);
  EXPECT_EQ(report_of("dedupq/b").ready, 3u);
  EXPECT_EQ(report_of("dedupq/a").ready, 0u);
  EXPECT_EQ(polled("dedupq/b"), (strings{"M", "N", "O"}));
  EXPECT_EQ(size("dedupq/b"), 3u);
}

TEST_F(move_test, makes_what_was_handed_out_fresh_again) {
  put("dedupq/a", sent_by("ann", {"M"}));
  poll("dedupq/a");
  put("dedupq/a", sent_by("ann", {"M"}));
  move("dedupq/a", "dedupq/b");
  EXPECT_EQ(polled("dedupq/b"), strings{"M"});
}

TEST_F(move_test, drops_what_a_queue_that_swallows_has_already) {
  queue_settings settings;
  settings.dedup = dedup_mode::while_pending;
  ASSERT_TRUE(change({queue_changed{"s", settings}}));
  ASSERT_TRUE(change({queue_changed{"t", settings}}));
  put("s", sent_by("ann", {"M", "N"}));
  put("t", sent_by("ann", {"M", "O"}));
  move("s", "t");
  EXPECT_EQ(size("s"), 0u);
  EXPECT_EQ(polled("t"), (strings{"M", "N", "O"}));
}

TEST_F(move_test, survives_a_restart_with_its_status) {
  put("a", sent_by("ann", numbered(3)));
  poll("a", 1);
  const auto reference = move("a", "b");
  restart();
  EXPECT_EQ(status_of(reference), move_status::complete);
  EXPECT_EQ(size("a"), 0u);
  ASSERT_EQ(peeked("b"), 3u); // by way of the tables
  restart();
  EXPECT_EQ(polled("b"), numbered(3));
}

TEST_F(move_test, moves_rows_that_are_in_the_tables_already) {
  put("a", sent_by("ann", numbered(3)));
  ASSERT_EQ(peeked("a"), 3u);
  move("a", "b");
  EXPECT_EQ(peeked("a"), 0u);
  EXPECT_EQ(peeked("b"), 3u);
  restart();
  EXPECT_EQ(polled("b"), numbered(3));
}

TEST_F(move_test, reads_bodies_that_are_not_in_memory) {
  crash();
  body_budget = 8 + 2 * memory_budget::beside_body;
  start();
  put("a", sent_by("ann", numbered(5)));
  move("a", "b");
  EXPECT_EQ(polled("b"), numbered(5));
}

/// The message after which the engine dies comes ever later.
TEST_F(move_test, ends_well_wherever_it_is_interrupted) {
  const auto bodies = numbered(60);
  bool completed = false;
  for (std::size_t messages = 0; !completed && !HasFailure(); ++messages) {
    SCOPED_TRACE(messages);
    ASSERT_LT(messages, 2000u);
    const auto from = std::string{"a"}.append(std::to_string(messages));
    const auto to = std::string{"b"}.append(std::to_string(messages));
    put(from, sent_by("ann", bodies));
    put(from, sent_by("bob", bodies));
    poll(from, 10, 3'600'000);
    auto begun = self->request(core, caf::infinite, move_queue{from, to});
    for (std::size_t i = 0; i < messages && sched.try_run_once(); ++i) {
      // one message at a time
    }
    completed = sched.jobs.empty();
    bool acknowledged = false;
    crash();
    if (self->has_next_message())
      begun.receive([&](const move_begun&) { acknowledged = true; },
                    [](const caf::error&) {});
    start();
    EXPECT_EQ(size(from) + size(to), 120u);
    if (acknowledged) {
      EXPECT_EQ(size(to), 120u);
    }
    for (const auto& [reference, x] : moves())
      EXPECT_EQ(x.status, move_status::complete);
    const auto left = size(from);
    EXPECT_TRUE(left == 0 || left == 120) << "half a move";
    purge(left > 0 ? from : to);
  }
}

/// The message after which an append fails comes ever later.
TEST_F(move_test, goes_on_after_an_append_failed) {
  bool completed = false;
  for (std::size_t messages = 0; !completed && !HasFailure(); messages += 3) {
    SCOPED_TRACE(messages);
    ASSERT_LT(messages, 2000u);
    put("a", sent_by("ann", numbered(30)));
    put("a", sent_by("bob", numbered(30)));
    auto begun = self->request(core, caf::infinite, move_queue{"a", "b"});
    for (std::size_t i = 0; i < messages && sched.try_run_once(); ++i) {
      // one message at a time
    }
    completed = sched.jobs.empty();
    fail_appends(*log, 1);
    settle();
    fail_appends(*log, 0);
    bool acknowledged = false;
    ASSERT_TRUE(self->has_next_message());
    begun.receive([&](const move_begun&) { acknowledged = true; },
                  [](const caf::error&) {});
    advance(3s);
    EXPECT_EQ(size("b"), acknowledged ? 60u : 0u);
    EXPECT_EQ(size("a"), acknowledged ? 0u : 60u);
    for (const auto& [reference, x] : moves())
      EXPECT_EQ(x.status, move_status::complete);
    purge("a");
    if (size("b") > 0)
      purge("b");
  }
}

TEST_F(move_test, is_forgotten_a_week_after_its_end) {
  const auto old = move("a", "b");
  advance(std::chrono::hours{24 * 7 + 1});
  const auto young = move("a", "b");
  const auto all = moves();
  EXPECT_EQ(all.count(old), 0u);
  EXPECT_EQ(all.count(young), 1u);
  restart();
  EXPECT_EQ(moves(), all);
}

} // namespace

} // namespace depositd
