// The settled rules of selection, one sentence each: sizes, reserved picks,
// bands, takers that wait, recovery, reasons.

#include "tests/actors/rules/ring/ring_fixture.hpp"

namespace depositd::rules {

// -- sizes --------------------------------------------------------------------

TEST_F(ring_test, an_item_too_big_neither_blocks_nor_moves_its_user) {
  ring_.insert_class(0);
  const auto small = ring_.open_view({}, 0);
  join("ann");
  join("bob");
  enqueue("ann", 1, 1);
  enqueue("bob", 1, 0);
  EXPECT_EQ(next(2, small), "bob -");
  EXPECT_EQ(next(2), "ann -");
}

TEST_F(ring_test, a_small_item_behind_a_big_one_is_reached) {
  ring_.insert_class(0);
  join("ann");
  enqueue("ann", 1, 1);
  enqueue("ann", 1, 0);
  EXPECT_EQ(next(2, ring_.open_view({}, 0)), "ann -");
  EXPECT_EQ(next(2), "ann -");
}

TEST_F(ring_test, a_new_size_limit_leaves_the_order_alone) {
  users_with(9, {"ann", "bob", "cid"});
  EXPECT_EQ(next(), "ann");
  ring_.insert_class(0);
  EXPECT_EQ(next(3), "bob cid ann");
  EXPECT_EQ(next(1, ring_.open_view({}, 0)), "-");
  const std::vector<ready_change> totals{{0, 0, 1}, {0, 1, 4}};
  ring_.report(1, {.ready = totals, .all = true});
  EXPECT_EQ(next(2, ring_.open_view({}, 0)), "bob -");
}

TEST_F(ring_test, a_pick_from_before_a_new_limit_can_be_answered) {
  users_with(2, {"ann"});
  const auto before = *ring_.next(anybody_);
  ring_.insert_class(0);
  const ready_change answered{0, before.class_max, 1};
  const std::vector<ready_change> totals{{0, 0, 1}};
  ring_.report(0, {.ready = totals, .all = true, .answered = {&answered, 1}});
  EXPECT_EQ(explain("ann").ready, 1u);
  EXPECT_EQ(next(2), "ann -");
}

// -- reservations -------------------------------------------------------------

TEST_F(ring_test, one_item_is_never_promised_twice) {
  users_with(1, {"ann"});
  EXPECT_TRUE(ring_.next(anybody_));
  EXPECT_FALSE(ring_.next(anybody_));
  EXPECT_EQ(ring_.ready_total(), 0u);
}

TEST_F(ring_test, the_answer_to_a_pick_changes_nothing_for_its_user) {
  users_with(2, {"ann", "bob"});
  const auto what = *ring_.next(anybody_);
  const auto before = explain("ann");
  answer(what);
  EXPECT_EQ(explain("ann").turn, before.turn);
  EXPECT_EQ(explain("ann").ready, before.ready);
  EXPECT_EQ(explain("ann").stamp, before.stamp);
}

TEST_F(ring_test, an_open_pick_leaves_small_items_to_small_takers) {
  ring_.insert_class(0);
  join("ann");
  enqueue("ann", 1, 0);
  enqueue("ann", 1, 1);
  const auto small = ring_.open_view({}, 0);
  const auto first = *ring_.next(anybody_);
  const auto second = ring_.next(small); // perhaps the big one was taken
  ASSERT_TRUE(second);
  answer(first, 0); // it was not
  ring_.undo(*second);
  EXPECT_EQ(next(1, small), "-");
  EXPECT_EQ(next(2), "ann -");
}

TEST_F(ring_test, a_declined_pick_gives_place_and_credit_back) {
  users_with(9, {"ann", "bob"});
  set("ann", {.allocation = 2, .concurrency = 2});
  const auto first = *ring_.next(anybody_);
  ring_.undo(first);
  EXPECT_EQ(explain("ann").credit, 2u);
  EXPECT_EQ(explain("ann").in_flight, 0u);
  EXPECT_EQ(next(3), "ann ann bob");
}

TEST_F(ring_test, a_declined_pick_that_ended_the_turn_gives_the_turn_back) {
  users_with(9, {"ann", "bob", "cid"});
  const auto what = *ring_.next(anybody_);
  EXPECT_EQ(next(), "bob");
  ring_.undo(what);
  EXPECT_EQ(next(4), "ann cid bob ann");
}

TEST_F(ring_test, a_node_that_declines_for_ever_holds_nobody_up) {
  users_with(9, {"ann", "bob"});
  int served = 0;
  for (int i = 0; i < 10; ++i) {
    const auto what = *ring_.next(anybody_);
    if (what.member == 0) {
      ring_.undo(what);
    } else {
      answer(what);
      ++served;
    }
  }
  EXPECT_GE(served, 4);
}

// -- priorities across users --------------------------------------------------

TEST_F(bands_test, the_best_band_is_served_first_and_fairly) {
  join("ann");
  join("bob");
  join("cid");
  enqueue("ann", 2, 0, 70);
  enqueue("bob", 1, 0, 3);
  enqueue("cid", 2, 0, 3);
  EXPECT_EQ(next(3), "bob cid cid");
}

TEST_F(bands_test, every_nth_pick_serves_the_band_that_waited_longest) {
  join("ann");
  join("bob");
  join("cid");
  enqueue("ann", 99, 0, 0);
  enqueue("bob", 99, 0, 50);
  enqueue("cid", 99, 0, 99);
  EXPECT_EQ(next(12), "ann ann ann bob ann ann ann cid ann ann ann bob");
}

TEST_F(bands_test, a_user_in_two_bands_has_one_credit) {
  join("ann");
  join("bob");
  enqueue("ann", 1, 0, 0);
  enqueue("ann", 9, 0, 5);
  enqueue("bob", 9, 0, 5);
  EXPECT_EQ(next(3), "ann bob ann");
}

TEST_F(bands_test, another_takers_picks_do_not_starve_a_band) {
  join("ann");
  join("bob");
  enqueue("ann", 99, 0, 0);
  enqueue("bob", 99, 0, 9);
  const auto other = excluding({"bob"});
  std::string served;
  for (int i = 0; i < 8; ++i)
    served += next() + " " + next(1, other) + " ";
  EXPECT_EQ(served, "ann ann ann ann ann ann bob ann "
                    "ann ann ann ann ann ann bob ann ");
}

// -- waiting ------------------------------------------------------------------

TEST_F(ring_test, whoever_waits_is_served_when_somebody_becomes_eligible) {
  ring_.wait(anybody_, 77, 2);
  EXPECT_FALSE(ring_.next_match());
  users_with(1, {"ann"});
  const auto match = ring_.next_match();
  ASSERT_TRUE(match);
  EXPECT_EQ(match->taker, 77u);
  EXPECT_EQ(match->what.member, 0u);
  EXPECT_FALSE(ring_.next_match());
  EXPECT_EQ(ring_.stop_waiting(77), 1u);
}

TEST_F(ring_test, the_longest_waiting_taker_that_matches_is_served) {
  ring_.wait(requiring({"cid"}), 1, 1);
  ring_.wait(excluding({"ann"}), 2, 1);
  ring_.wait(anybody_, 3, 1);
  ring_.wait(anybody_, 4, 1);
  users_with(2, {"ann"});
  EXPECT_EQ(ring_.next_match()->taker, 3u);
  EXPECT_EQ(ring_.next_match()->taker, 4u);
  users_with(2, {"bob", "cid"});
  EXPECT_EQ(ring_.next_match()->taker, 1u);
  EXPECT_EQ(ring_.next_match()->taker, 2u);
  EXPECT_FALSE(ring_.next_match());
}

TEST_F(ring_test, whoever_waits_without_having_asked_is_served_too) {
  users_with(1, {"ann"});
  ring_.wait(requiring({"ann"}), 1, 1);
  EXPECT_EQ(ring_.next_match()->taker, 1u);
  enqueue("ann");
  ring_.wait(anybody_, 2, 1);
  EXPECT_EQ(ring_.next_match()->taker, 2u);
}

TEST_F(ring_test, every_way_to_become_eligible_wakes) {
  users_with(9, {"ann"});
  set("ann", {.concurrency = 0, .held = true});
  ring_.wait(anybody_, 1, 9);
  set("ann", {.concurrency = 1, .held = true});
  EXPECT_FALSE(ring_.next_match());
  set("ann", {.concurrency = 1});
  EXPECT_TRUE(ring_.next_match());
  EXPECT_FALSE(ring_.next_match());
  finish_claim("ann");
  EXPECT_TRUE(ring_.next_match());
  set("ann", {.allocation = 0, .concurrency = 2});
  EXPECT_FALSE(ring_.next_match());
  set("ann", {.concurrency = 2, .prohibited = true});
  EXPECT_FALSE(ring_.next_match());
  set("ann", {.concurrency = 2});
  EXPECT_TRUE(ring_.next_match());
}

TEST_F(ring_test, a_taker_that_stops_waiting_is_passed) {
  ring_.wait(anybody_, 1, 3);
  ring_.wait(requiring({"ann"}), 1, 2);
  ring_.wait(anybody_, 2, 1);
  EXPECT_EQ(ring_.stop_waiting(1), 5u);
  EXPECT_EQ(ring_.stop_waiting(1), 0u);
  users_with(9, {"ann"});
  EXPECT_EQ(ring_.next_match()->taker, 2u);
  EXPECT_FALSE(ring_.next_match());
}

// -- recovery -----------------------------------------------------------------

TEST(ring_recovery, users_come_back_in_the_order_of_their_stamps) {
  ring after;
  after.join(0, "new", {});
  after.join(1, "recent", {.allocation = 3}, 40, 3);
  after.join(2, "waiting", {.allocation = 3}, 7, 2);
  for (member_number m = 0; m < 3; ++m)
    after.change_ready(m, {0, 0, 9});
  after.raise_stamp(90);
  after.settle_order();
  const auto view = after.open_view({}, 0);
  std::vector<member_number> order;
  for (int i = 0; i < 6; ++i)
    order.push_back(after.next(view)->member);
  EXPECT_EQ(order, (std::vector<member_number>{2, 2, 1, 1, 1, 0}));
  EXPECT_GT(after.stamp_last(), 90u);
}

TEST(ring_recovery, a_ring_goes_on_where_it_stood) {
  ring before;
  before.settle_order();
  const auto view = before.open_view({}, 0);
  std::map<member_number, std::pair<std::uint64_t, std::uint32_t>> journal;
  for (member_number m = 0; m < 5; ++m) {
    before.join(m, std::to_string(m), {.allocation = 1 + m % 3});
    before.change_ready(m, {0, 0, 100});
  }
  for (int i = 0; i < 24; ++i) {
    const auto what = *before.next(view);
    journal[what.member] = {what.stamp, what.credit};
  }
  ring after;
  for (const auto& [m, place] : journal) {
    after.join(m, std::to_string(m), {.allocation = 1 + m % 3}, place.first,
               place.second);
    after.change_ready(m, {0, 0, 100});
  }
  after.settle_order();
  const auto again = after.open_view({}, 0);
  for (int i = 0; i < 20; ++i)
    ASSERT_EQ(after.next(again)->member, before.next(view)->member) << i;
}

TEST(ring_recovery, a_user_who_returns_later_joins_at_the_tail) {
  ring queue;
  queue.settle_order();
  const auto view = queue.open_view({}, 0);
  queue.join(0, "ann", {.allocation = 2});
  queue.change_ready(0, {0, 0, 1});
  const auto what = *queue.next(view);
  const ready_change taken{0, 0, -1};
  const ready_change answered{0, 0, 1};
  queue.report(
    0, {.ready = {&taken, 1}, .answered = {&answered, 1}, .claims_ended = 1});
  const auto [stamp, credit] = queue.leave(0);
  EXPECT_EQ(stamp, what.stamp);
  EXPECT_EQ(credit, what.credit);
  queue.join(1, "bob", {});
  queue.change_ready(1, {0, 0, 1});
  queue.join(0, "ann", {.allocation = 2}, stamp, credit);
  queue.change_ready(0, {0, 0, 9});
  EXPECT_EQ(queue.next(view)->member, 1u);
  EXPECT_EQ(queue.next(view)->credit, 1u);
}

TEST_F(ring_test, a_user_who_leaves_takes_everything_along) {
  users_with(3, {"ann", "bob"});
  const auto required = requiring({"ann"});
  ASSERT_TRUE(ring_.next(anybody_));
  ring_.leave(0);
  EXPECT_EQ(ring_.ready_total(), 3u);
  EXPECT_EQ(ring_.in_flight_total(), 0u);
  EXPECT_EQ(ring_.eligible_users(), 1u);
  EXPECT_EQ(next(1, required), "-");
  EXPECT_EQ(next(4), "bob bob bob -");
}

// -- explaining ---------------------------------------------------------------

TEST_F(ring_test, an_eligible_user_is_told_its_turn) {
  users_with(9, {"ann", "bob", "cid"});
  EXPECT_EQ(next(), "ann");
  const auto report = explain("ann");
  EXPECT_EQ(report.state, eligibility::eligible);
  EXPECT_EQ(report.turn, 3u);
  EXPECT_EQ(report.length, 3u);
  EXPECT_EQ(report.in_flight, 1u);
  EXPECT_EQ(report.ready, 8u);
  EXPECT_EQ(report.turns_taken, 1u);
  EXPECT_EQ(explain("bob").turn, 1u);
}

TEST_F(ring_test, the_most_general_reason_for_waiting_is_told) {
  join("ann");
  const member_limits everything_wrong{
    .allocation = 0, .concurrency = 0, .held = true, .prohibited = true};
  set("ann", everything_wrong);
  EXPECT_EQ(explain("ann").state, eligibility::nothing_ready);
  enqueue("ann");
  EXPECT_EQ(explain("ann").state, eligibility::held);
  set("ann", {.allocation = 0, .concurrency = 0, .prohibited = true});
  EXPECT_EQ(explain("ann").state, eligibility::prohibited);
  set("ann", {.allocation = 0, .concurrency = 0});
  EXPECT_EQ(explain("ann").state, eligibility::no_allocation);
  set("ann", {.concurrency = 0});
  EXPECT_EQ(explain("ann").state, eligibility::at_cap);
  set("ann", {});
  EXPECT_EQ(explain("ann").state, eligibility::eligible);
  EXPECT_EQ(explain("ann").limits, member_limits{});
}

TEST_F(ring_test, a_user_in_several_bands_has_one_turn) {
  ring_ = ring{priority_mode::across_users, 0};
  ring_.settle_order();
  join("ann");
  join("bob");
  enqueue("ann", 1, 0, 0);
  enqueue("ann", 1, 0, 9);
  enqueue("bob", 1, 0, 9);
  EXPECT_EQ(explain("ann").turn, 1u);
  EXPECT_EQ(explain("bob").turn, 2u);
  EXPECT_EQ(explain("bob").length, 2u);
}

TEST_F(ring_test, a_view_admits_whom_its_criteria_allow) {
  users_with(1, {"ann", "bob"});
  set("bob", {.prohibited = true});
  EXPECT_TRUE(ring_.admits(anybody_, 0));
  EXPECT_FALSE(ring_.admits(anybody_, 1));
  EXPECT_TRUE(ring_.admits(requiring({"bob"}), 1));
  EXPECT_FALSE(ring_.admits(requiring({"bob"}), 0));
  EXPECT_FALSE(ring_.admits(excluding({"ann"}), 0));
  EXPECT_TRUE(ring_.admits(preferring({"bob"}), 0));
}

TEST_F(ring_test, totals_add_up) {
  users_with(3, {"ann", "bob"});
  set("bob", {.held = true});
  EXPECT_EQ(next(), "ann");
  EXPECT_EQ(ring_.ready_total(), 5u);
  EXPECT_EQ(ring_.in_flight_total(), 1u);
  EXPECT_EQ(ring_.eligible_users(), 1u);
  EXPECT_EQ(ring_.users(), 2u);
}

// -- how many -----------------------------------------------------------------

TEST_F(ring_test, a_view_counts_whom_it_can_be_handed_an_item_of) {
  const auto small = requiring({"bob", "eve", "nobody"});
  users_with(9, {"ann", "bob", "cid", "dan"});
  join("eve");
  EXPECT_EQ(ring_.eligible_users(anybody_), 4u);
  EXPECT_EQ(ring_.eligible_users(preferring({"bob"})), 4u);
  EXPECT_EQ(ring_.eligible_users(excluding({"ann", "eve", "nobody"})), 3u);
  EXPECT_EQ(ring_.eligible_users(small), 1u);
  set("ann", {.held = true});
  set("bob", {.prohibited = true});
  set("cid", {.concurrency = 0});
  EXPECT_EQ(ring_.eligible_users(anybody_), 1u);
  EXPECT_EQ(ring_.eligible_users(excluding({"ann", "eve", "nobody"})), 1u);
  EXPECT_EQ(ring_.eligible_users(small), 1u) << "those may be required";
}

TEST_F(ring_test, a_view_does_not_count_users_whose_items_are_too_big) {
  ring_.insert_class(0);
  join("ann");
  join("bob");
  enqueue("ann", 1, 1);
  enqueue("bob", 1, 0);
  EXPECT_EQ(ring_.eligible_users(ring_.open_view({}, 0)), 1u);
  EXPECT_EQ(ring_.eligible_users(ring_.open_view({}, 1)), 2u);
  EXPECT_EQ(
    ring_.eligible_users(ring_.open_view({.excluded = {"bob"}}, 0)), 0u);
}

} // namespace depositd::rules
