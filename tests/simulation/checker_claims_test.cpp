// The judge is judged of claims: caps, delays, tokens and attempts.

#include "tests/simulation/tale.hpp"

#include <gtest/gtest.h>

namespace depositd::simulation {

namespace {

using names = std::set<std::string>;

/// One of b's that is to wait so long after its first attempt.
item_id delayed(tale& x, micros us) {
  const auto id = x.deposit("b");
  x.hand_out(id, 1, "b");
  x.add(reported{1, id, 1, verdict::retry});
  auto later = x.a_release(id, 1);
  later.available_us = x.now_us + us;
  x.write("b", later);
  x.add(settled{1, id, true});
  return id;
}

// -- I-5 to I-8 ---------------------------------------------------------------

TEST(checker, I_5_sees_a_claim_above_the_cap) {
  auto x = a_good_life();
  const auto first = x.deposit("a");
  const auto second = x.deposit("a");
  x.hand_out(first, 1, "a");
  EXPECT_EQ(x.broken(), names{});
  x.hand_out(second, 1, "a");
  EXPECT_EQ(x.broken(), names{"I-5"});
}

TEST(checker, I_5_sees_a_claim_under_a_cap_of_0) {
  auto x = a_good_life();
  x.set_cap("a", 0);
  x.now_us += 1;
  x.hand_out(x.deposit("a"), 1, "a");
  EXPECT_EQ(x.broken(), names{"I-5"});
}

/// The user's limits say nothing of its cap: the queue's is meant, and the one
/// before it as long as somebody may not have heard.
TEST(checker, I_5_knows_the_queues_cap_from_before_a_users_limits) {
  tale x;
  queue_changed set{"q", {}};
  for (const std::uint32_t cap : {2, 1}) {
    set.settings.concurrency = cap;
    x.write("", set);
  }
  user_limits_changed limits;
  limits.queue = "q";
  limits.user = "a";
  limits.has_allocation = true;
  x.write("", limits);
  x.add(processor_joined{1, "q", {}, 2});
  x.hand_out(x.deposit("a"), 1, "a");
  x.hand_out(x.deposit("a"), 2, "a");
  EXPECT_FALSE(x.broken().contains("I-5"));
  x.now_us += 1;
  x.hand_out(x.deposit("a"), 3, "a");
  EXPECT_TRUE(x.broken().contains("I-5"));
}

TEST(checker, I_5_lets_pass_what_was_on_its_way_when_the_cap_fell) {
  auto x = a_good_life();
  x.told.stall_max_us = 10;
  x.set_cap("a", 0);
  x.now_us += 9;
  x.hand_out(x.deposit("a"), 1, "a");
  EXPECT_EQ(x.broken(), names{});
}

TEST(checker, I_6_sees_an_end_after_the_end) {
  auto x = a_good_life();
  x.write("a", x.an_end(1));
  EXPECT_EQ(x.broken(), names{"I-6"});
}

TEST(checker, I_6_sees_a_delayed_item_come_early) {
  auto x = a_good_life();
  const auto id = delayed(x, 500);
  x.now_us += 499;
  x.hand_out(id, 2, "b", 2);
  EXPECT_EQ(x.broken(), names{"I-6"});
}

TEST(checker, I_6_lets_come_early_what_was_to_be_woken) {
  auto x = a_good_life();
  const auto id = delayed(x, 500);
  x.add(wake_wanted{{id}});
  x.hand_out(id, 2, "b", 2);
  EXPECT_EQ(x.broken(), names{});
}

TEST(checker, I_6_sees_a_parked_item_handed_out) {
  auto x = a_good_life();
  const auto id = x.deposit("b");
  x.write("b", item_parked{id, "q", true});
  x.hand_out(id, 1, "b");
  EXPECT_EQ(x.broken(), names{"I-6"});
}

TEST(checker, I_7_sees_two_claims_at_once) {
  auto x = a_good_life();
  const auto id = x.deposit("b");
  x.hand_out(id, 1, "b");
  x.write("b", x.a_claim(id, 2, 2));
  EXPECT_EQ(x.broken(), names{"I-7"});
}

TEST(checker, I_7_sees_a_hand_out_before_the_commit) {
  auto x = a_good_life();
  const auto id = x.deposit("b");
  x.add(x.a_hand_out(id, 1, "b"));
  x.write("b", x.a_claim(id, 1));
  EXPECT_EQ(x.broken(), names{"I-7"});
}

TEST(checker, I_7_sees_a_hand_out_twice) {
  auto x = a_good_life();
  const auto id = x.deposit("b");
  x.hand_out(id, 1, "b");
  x.add(x.a_hand_out(id, 1, "b"));
  EXPECT_EQ(x.broken(), names{"I-7"});
}

TEST(checker, I_7_sees_an_outcome_under_an_old_token) {
  auto x = a_good_life();
  const auto id = x.deposit("b");
  x.hand_out(id, 1, "b");
  x.write("b", x.a_release(id, 1));
  x.hand_out(id, 2, "b", 2);
  x.finish(id, 1, "b");
  EXPECT_EQ(x.broken(), names{"I-7"});
}

TEST(checker, I_7_sees_an_outcome_that_was_taken_twice) {
  auto x = a_good_life();
  const auto id = x.deposit("b");
  x.hand_out(id, 1, "b");
  x.add(reported{1, id, 1, verdict::done});
  x.finish(id, 1, "b");
  x.add(settled{1, id, true});
  EXPECT_EQ(x.broken(), names{"I-7"});
}

TEST(checker, I_7_sees_a_holder_turned_away) {
  auto x = a_good_life();
  const auto id = x.deposit("b");
  x.hand_out(id, 1, "b");
  x.add(reported{1, id, 1, verdict::done});
  x.add(settled{1, id, false});
  EXPECT_EQ(x.broken(), names{"I-7"});
}

TEST(checker, I_7_lets_a_release_be_written_after_the_refusal) {
  auto x = a_good_life();
  const auto id = x.deposit("b");
  x.hand_out(id, 1, "b");
  x.add(reported{1, id, 1, verdict::done});
  x.add(settled{1, id, false});
  x.write("b", x.a_release(id, 1)); // decided before the outcome came
  EXPECT_EQ(x.broken(), names{});
}

TEST(checker, I_7_sees_a_zombie_write) {
  auto x = a_good_life();
  x.epoch = 2;
  x.deposit("b");
  x.epoch = 1;
  x.deposit("b");
  EXPECT_EQ(x.broken(), names{"I-7"});
}

TEST(checker, I_7_sees_claims_held_elsewhere_end_with_the_engine) {
  auto x = a_good_life();
  const auto id = x.deposit("b");
  auto claim = x.a_claim(id, 1);
  claim.local = false;
  x.write("b", claim);
  auto back = x.a_release(id, 1);
  back.reason = "engine restarted";
  x.write("b", back);
  EXPECT_EQ(x.broken(), names{"I-7"});
}

TEST(checker, I_7_has_claims_end_that_came_home_before) {
  auto x = a_good_life();
  const auto id = x.deposit("b");
  auto claim = x.a_claim(id, 1);
  claim.local = false;
  claim.deadline_us = 900;
  x.write("b", claim);
  x.write("b", claim_renewed{id, claim.queue, claim.token, never});
  auto back = x.a_release(id, 1);
  back.reason = "engine restarted";
  x.write("b", back);
  EXPECT_EQ(x.broken(), names{});
}

TEST(checker, I_8_sees_an_attempt_that_is_not_counted) {
  auto x = a_good_life();
  const auto id = x.deposit("b");
  x.hand_out(id, 1, "b");
  x.write("b", x.a_release(id, 0));
  EXPECT_EQ(x.broken(), names{"I-8"});
}

TEST(checker, I_8_sees_an_attempt_counted_twice) {
  auto x = a_good_life();
  x.hand_out(x.deposit("b"), 1, "b", 2);
  EXPECT_EQ(x.broken(), names{"I-8"});
}

} // namespace

} // namespace depositd::simulation
