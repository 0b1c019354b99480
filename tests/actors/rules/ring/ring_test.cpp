// The settled rules of selection, one sentence each: turns, limits, criteria.

#include "tests/actors/rules/ring/ring_fixture.hpp"

namespace depositd::rules {

// -- turns --------------------------------------------------------------------

TEST_F(ring_test, users_take_turns) {
  users_with(9, {"ann", "bob", "cid"});
  EXPECT_EQ(next(7), "ann bob cid ann bob cid ann");
}

TEST_F(ring_test, an_allocation_is_handed_out_in_one_go) {
  users_with(9, {"ann", "bob"});
  set("ann", {.allocation = 3});
  EXPECT_EQ(next(8), "ann ann ann bob ann ann ann bob");
}

TEST_F(ring_test, an_empty_queue_serves_nobody) {
  join("ann");
  EXPECT_EQ(next(), "-");
}

TEST_F(ring_test, a_user_without_items_is_passed) {
  users_with(1, {"ann", "bob"});
  EXPECT_EQ(next(3), "ann bob -");
}

TEST_F(ring_test, new_work_joins_at_the_tail) {
  users_with(1, {"ann"});
  users_with(9, {"bob", "cid"});
  EXPECT_EQ(next(), "ann");
  enqueue("ann");
  EXPECT_EQ(next(4), "bob cid ann bob");
}

TEST_F(ring_test, a_turn_that_was_cut_short_is_not_continued) {
  users_with(9, {"ann", "bob"});
  set("ann", {.allocation = 3, .concurrency = 2});
  EXPECT_EQ(next(3), "ann ann bob");
  finish_claim("ann");
  EXPECT_EQ(next(3), "bob ann bob");
}

TEST_F(ring_test, a_pick_tells_place_and_credit_that_come_after_it) {
  users_with(9, {"ann", "bob"});
  set("ann", {.allocation = 2});
  const auto first = *ring_.next(anybody_);
  const auto second = *ring_.next(anybody_);
  EXPECT_EQ(first.credit, 1u);
  EXPECT_EQ(second.credit, 2u);
  EXPECT_GT(second.stamp, first.stamp);
  EXPECT_EQ(second.stamp, ring_.stamp_last());
  EXPECT_EQ(second.by, pick_kind::round_robin);
}

// -- limits -------------------------------------------------------------------

TEST_F(ring_test, nobody_gets_more_claims_than_its_concurrency) {
  users_with(9, {"ann"});
  set("ann", {.concurrency = 2});
  EXPECT_EQ(next(3), "ann ann -");
  finish_claim("ann");
  EXPECT_EQ(next(2), "ann -");
}

TEST_F(ring_test, a_pick_counts_against_the_cap_before_its_node_answers) {
  users_with(9, {"ann"});
  set("ann", {.concurrency = 1});
  EXPECT_TRUE(ring_.next(anybody_));
  EXPECT_FALSE(ring_.next(anybody_));
  EXPECT_EQ(ring_.in_flight_total(), 1u);
}

TEST_F(ring_test, concurrency_zero_is_never_processed) {
  users_with(9, {"ann"});
  set("ann", {.concurrency = 0});
  EXPECT_EQ(next(), "-");
  EXPECT_EQ(next(1, requiring({"ann"})), "-");
}

TEST_F(ring_test, a_cap_that_is_reached_does_not_hold_others_up) {
  users_with(9, {"ann", "bob"});
  set("ann", {.concurrency = 1});
  EXPECT_EQ(next(4), "ann bob bob bob");
}

TEST_F(ring_test, claims_that_survived_count) {
  users_with(9, {"ann"});
  set("ann", {.concurrency = 2});
  ring_.change_in_flight(0, 2);
  EXPECT_EQ(next(), "-");
}

TEST_F(ring_test, a_raised_cap_lets_the_user_join_at_the_tail) {
  users_with(9, {"ann", "bob", "cid"});
  set("ann", {.concurrency = 1});
  EXPECT_EQ(next(2), "ann bob");
  set("ann", {.concurrency = 2});
  EXPECT_EQ(next(3), "cid bob ann");
}

TEST_F(ring_test, a_larger_allocation_counts_at_once) {
  users_with(9, {"ann", "bob"});
  set("ann", {.allocation = 2});
  EXPECT_EQ(next(), "ann");
  set("ann", {.allocation = 4});
  EXPECT_EQ(next(4), "ann ann ann bob");
}

TEST_F(ring_test, a_smaller_allocation_counts_at_once) {
  users_with(9, {"ann", "bob"});
  set("ann", {.allocation = 5});
  EXPECT_EQ(next(), "ann");
  set("ann", {.allocation = 2});
  EXPECT_EQ(next(4), "ann ann bob ann");
}

TEST_F(ring_test, allocation_zero_is_out_of_the_rotation_until_it_is_raised) {
  users_with(9, {"ann", "bob"});
  set("ann", {.allocation = 0});
  EXPECT_EQ(next(2), "bob bob");
  set("ann", {.allocation = 2});
  EXPECT_EQ(next(3), "bob ann ann");
}

TEST_F(ring_test, a_held_user_waits_for_its_release_even_if_required) {
  users_with(9, {"ann", "bob"});
  set("ann", {.held = true});
  EXPECT_EQ(next(2), "bob bob");
  EXPECT_EQ(next(1, requiring({"ann"})), "-");
  set("ann", {});
  EXPECT_EQ(next(2), "bob ann");
}

// -- criteria -----------------------------------------------------------------

TEST_F(ring_test, required_users_are_served_in_ring_order_and_nobody_else) {
  users_with(2, {"ann", "bob", "cid"});
  EXPECT_EQ(next(5, requiring({"cid", "bob"})), "bob cid bob cid -");
}

TEST_F(ring_test, required_users_need_neither_allocation_nor_permission) {
  users_with(9, {"ann", "bob"});
  set("ann", {.allocation = 0});
  set("bob", {.prohibited = true});
  EXPECT_EQ(next(), "-");
  EXPECT_EQ(next(3, requiring({"ann", "bob"})), "ann bob ann");
}

TEST_F(ring_test, a_required_pick_costs_the_turn) {
  users_with(9, {"ann", "bob", "cid"});
  EXPECT_EQ(next(1, requiring({"bob"})), "bob");
  EXPECT_EQ(next(3), "ann cid bob");
}

TEST_F(ring_test, preferred_users_come_first_and_the_others_after) {
  users_with(2, {"ann", "bob", "cid"});
  EXPECT_EQ(next(6, preferring({"cid"})), "cid cid ann bob ann bob");
}

TEST_F(ring_test, a_preferred_pick_costs_the_turn) {
  users_with(9, {"ann", "bob"});
  EXPECT_EQ(next(1, preferring({"ann"})), "ann");
  EXPECT_EQ(next(), "bob");
}

TEST_F(ring_test, picks_tell_by_which_rule_they_were_made) {
  users_with(1, {"ann", "bob"});
  users_with(9, {"cid"});
  const auto prefers = preferring({"bob"});
  EXPECT_EQ(ring_.next(prefers)->by, pick_kind::preferred);
  EXPECT_EQ(ring_.next(prefers)->by, pick_kind::round_robin);
  EXPECT_EQ(ring_.next(requiring({"cid"}))->by, pick_kind::required);
}

TEST_F(ring_test, excluded_users_are_passed_over_without_moving) {
  users_with(9, {"ann", "bob", "cid", "dan"});
  EXPECT_EQ(next(2, excluding({"ann", "bob"})), "cid dan");
  EXPECT_EQ(next(4), "ann bob cid dan");
}

TEST_F(ring_test, nobody_is_left_when_all_are_excluded) {
  users_with(9, {"ann", "bob"});
  EXPECT_EQ(next(1, excluding({"ann", "bob", "nobody"})), "-");
}

TEST_F(ring_test, excluded_wins_over_required_and_preferred) {
  users_with(2, {"ann", "bob"});
  const auto required =
    ring_.open_view({.required = {"ann"}, .excluded = {"ann"}}, 0);
  EXPECT_EQ(next(1, required), "-");
  const auto preferred =
    ring_.open_view({.preferred = {"ann", "bob"}, .excluded = {"ann"}}, 0);
  EXPECT_EQ(next(3, preferred), "bob bob -");
}

TEST_F(ring_test, prohibited_users_are_not_preferred_but_excluded) {
  users_with(9, {"ann", "bob"});
  set("ann", {.prohibited = true});
  EXPECT_EQ(next(2, preferring({"ann"})), "bob bob");
}

TEST_F(ring_test, lifting_a_prohibition_lets_the_user_join_at_the_tail) {
  users_with(9, {"ann", "bob"});
  set("ann", {.prohibited = true});
  EXPECT_EQ(next(), "bob");
  set("ann", {});
  EXPECT_EQ(next(2), "bob ann");
}

TEST_F(ring_test, criteria_may_name_users_who_come_later) {
  const auto required = requiring({"ann"});
  const auto excluded = excluding({"ann"});
  EXPECT_EQ(next(1, required), "-");
  users_with(2, {"ann"});
  EXPECT_EQ(next(1, excluded), "-");
  EXPECT_EQ(next(3, required), "ann ann -");
}

TEST_F(ring_test, a_name_that_comes_back_under_another_number_is_known) {
  const auto required = requiring({"ann"});
  users_with(1, {"ann", "bob"});
  EXPECT_EQ(next(1, required), "ann");
  finish_claim("ann");
  ring_.leave(0);
  join("ann");
  enqueue("ann");
  EXPECT_EQ(next(2, required), "ann -");
}

TEST_F(ring_test, equal_criteria_share_a_view_whatever_their_order) {
  EXPECT_EQ(requiring({"ann", "bob"}), requiring({"bob", "ann", "bob"}));
  EXPECT_NE(requiring({"ann"}), preferring({"ann"}));
  EXPECT_NE(preferring({"ann"}), excluding({"ann"}));
}

TEST_F(ring_test, a_view_lives_until_its_last_use_ends) {
  users_with(9, {"ann", "bob"});
  const auto first = requiring({"bob"});
  EXPECT_EQ(requiring({"bob"}), first);
  ring_.close_view(first);
  EXPECT_EQ(next(1, first), "bob");
  ring_.close_view(first);
  EXPECT_EQ(next(1, requiring({"ann"})), "ann");
}

TEST_F(ring_test, a_new_view_keeps_the_order_of_the_ring) {
  users_with(9, {"ann", "bob", "cid"});
  EXPECT_EQ(next(2), "ann bob");
  EXPECT_EQ(next(3, requiring({"ann", "bob", "cid"})), "cid ann bob");
}

} // namespace depositd::rules
