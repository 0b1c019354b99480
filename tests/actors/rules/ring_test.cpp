// The settled rules of selection, one sentence each.

#include "actors/rules/ring.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

namespace depositd::rules {

namespace {

/// A queue whose nodes answer at once, spoken of by user name.
class ring_test : public ::testing::Test {
protected:
  explicit ring_test(priority_mode mode = priority_mode::within_user,
                     std::uint32_t oldest_band_every = 0)
    : ring_(mode, oldest_band_every) {
    ring_.settle_order();
    anybody_ = ring_.open_view({}, 0);
  }

  void join(const std::string& name, const member_terms& terms = {}) {
    const auto number = static_cast<member_number>(numbers_.size());
    numbers_[name] = number;
    names_.push_back(name);
    ring_.join(number, name, terms);
  }

  /// Users with `count` items each, in this order.
  void users_with(std::int32_t count, const std::vector<std::string>& names) {
    for (const auto& name : names) {
      join(name);
      enqueue(name, count);
    }
  }

  void enqueue(const std::string& name, std::int32_t count = 1,
               size_class cls = 0, std::uint8_t band = 0) {
    ring_.change_ready(numbers_.at(name), {band, cls, count});
  }

  void set(const std::string& name, const member_terms& terms) {
    ring_.set_terms(numbers_.at(name), terms);
  }

  void finish_claim(const std::string& name) {
    ring_.change_in_flight(numbers_.at(name), -1);
  }

  /// The node takes the item of a pick; its class is the largest that fits
  /// unless told otherwise.
  void answer(const pick& x, int cls = -1) {
    const ready_change taken{
      x.band, cls < 0 ? x.class_max : static_cast<size_class>(cls), -1};
    const ready_change answered{x.band, x.class_max, 1};
    ring_.report(x.member, {.ready = {&taken, 1}, .answered = {&answered, 1}});
  }

  /// Names of the next users, "-" where there is none.
  std::string next(int count, view_number view) {
    std::string out;
    for (int i = 0; i < count; ++i) {
      const auto what = ring_.next(view);
      if (what)
        answer(*what);
      out += (i > 0 ? " " : "") + (what ? names_[what->member] : "-");
    }
    return out;
  }
  std::string next(int count = 1) {
    return next(count, anybody_);
  }

  view_number requiring(std::vector<std::string> names) {
    return ring_.open_view({.required = std::move(names)}, 0);
  }
  view_number preferring(std::vector<std::string> names) {
    return ring_.open_view({.preferred = std::move(names)}, 0);
  }
  view_number excluding(std::vector<std::string> names) {
    return ring_.open_view({.excluded = std::move(names)}, 0);
  }

  standing_report explain(const std::string& name) {
    return ring_.explain(numbers_.at(name));
  }

  ring ring_;
  view_number anybody_ = 0;
  std::map<std::string, member_number> numbers_;
  std::vector<std::string> names_;
};

class bands_test : public ring_test {
protected:
  bands_test() : ring_test(priority_mode::across_users, 4) {}
};

} // namespace

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

// -- explaining ---------------------------------------------------------------

TEST_F(ring_test, an_eligible_user_is_told_its_turn) {
  users_with(9, {"ann", "bob", "cid"});
  EXPECT_EQ(next(), "ann");
  const auto report = explain("ann");
  EXPECT_EQ(report.state, standing::eligible);
  EXPECT_EQ(report.turn, 3u);
  EXPECT_EQ(report.length, 3u);
  EXPECT_EQ(report.in_flight, 1u);
  EXPECT_EQ(report.ready, 8u);
  EXPECT_EQ(report.turns_taken, 1u);
  EXPECT_EQ(explain("bob").turn, 1u);
}

TEST_F(ring_test, the_most_general_reason_for_waiting_is_told) {
  join("ann");
  const member_terms everything_wrong{
    .allocation = 0, .concurrency = 0, .held = true, .prohibited = true};
  set("ann", everything_wrong);
  EXPECT_EQ(explain("ann").state, standing::nothing_ready);
  enqueue("ann");
  EXPECT_EQ(explain("ann").state, standing::held);
  set("ann", {.allocation = 0, .concurrency = 0, .prohibited = true});
  EXPECT_EQ(explain("ann").state, standing::prohibited);
  set("ann", {.allocation = 0, .concurrency = 0});
  EXPECT_EQ(explain("ann").state, standing::no_allocation);
  set("ann", {.concurrency = 0});
  EXPECT_EQ(explain("ann").state, standing::at_cap);
  set("ann", {});
  EXPECT_EQ(explain("ann").state, standing::eligible);
  EXPECT_EQ(explain("ann").terms, member_terms{});
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

} // namespace depositd::rules
