// The judge is judged: histories made by hand, of which it must say what is
// wrong, and good ones that it must let pass.

#include "tests/simulation/tale.hpp"

#include <gtest/gtest.h>

namespace depositd::simulation {

namespace {

using names = std::set<std::string>;

TEST(checker, lets_a_good_life_pass) {
  EXPECT_EQ(a_good_life().broken(), names{});
}

// -- I-1 to I-4 ---------------------------------------------------------------

TEST(checker, I_1_sees_a_lost_deposit) {
  auto x = a_good_life();
  x.add(attempted{"gone", "q", "a"});
  x.add(acknowledged{"gone", 77});
  EXPECT_EQ(x.broken(), names{"I-1"});
}

TEST(checker, I_1_sees_an_answer_before_the_commit) {
  auto x = a_good_life();
  x.add(attempted{"early", "q", "a"});
  x.add(acknowledged{"early", 78});
  x.enqueue(78, "a", "early");
  EXPECT_EQ(x.broken(), names{"I-1"});
}

TEST(checker, I_2_sees_what_nobody_sent) {
  auto x = a_good_life();
  x.enqueue(79, "a", "made up");
  EXPECT_EQ(x.broken(), names{"I-2"});
}

TEST(checker, I_2_sees_a_deposit_under_another_user) {
  auto x = a_good_life();
  x.add(attempted{"of a", "q", "a"});
  x.enqueue(80, "b", "of a");
  EXPECT_EQ(x.broken(), names{"I-2"});
}

TEST(checker, I_3_sees_a_deposit_that_is_there_twice) {
  auto x = a_good_life();
  x.add(attempted{"twice", "q", "a"});
  x.enqueue(81, "a", "twice");
  x.enqueue(82, "a", "twice");
  EXPECT_EQ(x.broken(), names{"I-3"});
}

TEST(checker, I_3_sees_a_refused_deposit_that_is_there) {
  auto x = a_good_life();
  x.add(attempted{"refused", "q", "a"});
  x.add(refused{"refused"});
  x.enqueue(83, "a", "refused");
  EXPECT_EQ(x.broken(), names{"I-3"});
}

TEST(checker, I_4_sees_an_id_given_twice) {
  auto x = a_good_life();
  x.add(attempted{"one", "q", "a"});
  x.add(attempted{"other", "q", "a"});
  x.enqueue(84, "a", "one");
  x.enqueue(84, "a", "other");
  EXPECT_TRUE(x.broken().count("I-4"));
}

TEST(checker, I_4_sees_a_record_rejected_twice) {
  auto x = a_good_life();
  x.write("", record_rejected{"in/0", 5, "", "", ""});
  x.write("", record_rejected{"in/0", 5, "", "", ""});
  EXPECT_EQ(x.broken(), names{"I-4"});
}

// -- I-9 to I-12 --------------------------------------------------------------

TEST(checker, I_9_sees_a_user_who_is_passed_over) {
  auto x = a_good_life(); // processors wait for 2 at most: 6 in a row may be
  x.deposit("a");
  std::vector<item_id> ids;
  for (int i = 0; i < 7; ++i)
    ids.push_back(x.deposit("b"));
  for (int i = 0; i < 6; ++i)
    x.hand_out(ids[i], 1, "b");
  EXPECT_EQ(x.broken(), names{});
  x.hand_out(ids[6], 1, "b");
  EXPECT_EQ(x.broken(), names{"I-9"});
}

TEST(checker, I_9_lets_polls_whose_answers_were_lost_be_as_large_as_others) {
  auto x = a_good_life();
  x.deposit("a");
  for (int i = 0; i < 7; ++i) {
    auto claim = x.a_claim(x.deposit("b"), 1);
    claim.processor = "poller";
    x.write("b", claim);
  }
  EXPECT_EQ(x.broken(), names{});
}

TEST(checker, I_9_lets_a_user_at_its_cap_wait) {
  auto x = a_good_life();
  x.deposit("a");
  x.hand_out(x.deposit("a"), 1, "a");
  for (int i = 0; i < 20; ++i)
    x.hand_out(x.deposit("b"), 1, "b");
  EXPECT_EQ(x.broken(), names{});
}

TEST(checker, I_10_sees_a_prohibited_user_served) {
  auto x = a_good_life();
  x.write("", user_eligibility_changed{"b", false, true});
  x.now_us += 1;
  x.hand_out(x.deposit("b"), 1, "b");
  EXPECT_EQ(x.broken(), names{"I-10"});
}

TEST(checker, I_10_sees_a_processor_get_others_than_it_requires) {
  auto x = a_good_life();
  processor_joined picky{2, "q", {}, 1};
  picky.wants.required = {"a"};
  x.add(picky);
  const auto id = x.deposit("b");
  x.write("b", x.a_claim(id, 1));
  auto got = x.a_hand_out(id, 1, "b");
  got.processor = 2;
  x.add(got);
  EXPECT_EQ(x.broken(), names{"I-10"});
}

TEST(checker, I_12_lets_an_engine_that_was_stopped_write_what_it_decided) {
  auto x = a_good_life();
  const auto id = x.deposit("b");
  x.write("", user_eligibility_changed{"b", true, false});
  x.now_us += 1000;
  x.add(resumed{"a"});
  x.hand_out(id, 1, "b");
  EXPECT_EQ(x.broken(), names{});
}

TEST(checker, I_12_sees_a_held_user_served_by_an_engine_that_went_on) {
  auto x = a_good_life();
  const auto id = x.deposit("b");
  x.write("", user_eligibility_changed{"b", true, false});
  x.now_us += 1000;
  x.deposit("a"); // it was not stopped
  x.now_us += 1000;
  x.add(resumed{"a"});
  x.hand_out(id, 1, "b");
  EXPECT_EQ(x.broken(), names{"I-12"});
}

TEST(checker, I_12_sees_a_held_user_served) {
  auto x = a_good_life();
  x.write("", user_eligibility_changed{"b", true, false});
  x.now_us += 1;
  x.hand_out(x.deposit("b"), 1, "b");
  EXPECT_EQ(x.broken(), names{"I-12"});
}

TEST(checker, I_12_sees_a_suspended_server_serve) {
  auto x = a_good_life();
  x.write("", server_changed{true, true});
  x.now_us += 1;
  x.hand_out(x.deposit("b"), 1, "b");
  EXPECT_EQ(x.broken(), names{"I-12"});
}

// -- I-13 to I-18 -------------------------------------------------------------

tale with_records() {
  auto x = a_good_life();
  for (int i = 0; i < 3; ++i)
    x.add(attempted{"r" + std::to_string(i), "q", "b"});
  x.add(produced{"in/0", 0, 0, false, "r0"});
  x.add(produced{"in/0", 1, 0, true, ""});
  x.add(produced{"in/0", 2, 0, false, "r2"});
  x.enqueue(90, "b", "r0");
  x.flush({{"in/0", 0}});
  return x;
}

void reject(tale& x) {
  x.write("", record_rejected{"in/0", 1, "", "", ""});
}

TEST(checker, I_13_lets_marks_pass_that_move_with_their_effects) {
  auto x = with_records();
  reject(x);
  x.enqueue(92, "b", "r2");
  x.flush({{"in/0", 2}});
  EXPECT_EQ(x.broken(), names{});
}

TEST(checker, I_13_sees_a_mark_before_its_effects) {
  auto x = with_records();
  reject(x);
  x.flush({{"in/0", 2}});
  EXPECT_EQ(x.broken(), names{"I-13"});
}

TEST(checker, I_13_sees_effects_before_their_mark) {
  auto x = with_records();
  reject(x);
  x.flush();
  EXPECT_EQ(x.broken(), names{"I-13"});
}

TEST(checker, I_13_sees_a_mark_go_back) {
  auto x = a_good_life();
  x.flush({{"in/1", 5}});
  x.flush({{"in/1", 4}});
  EXPECT_EQ(x.broken(), names{"I-13"});
}

tale with_outcomes() {
  auto x = a_good_life();
  x.told.with_topics = true;
  x.add(to_publish{"0:1", "a", "one"});
  x.add(to_publish{"0:2", "a", "two"});
  x.add(published{"0:1", "a", "one"});
  return x;
}

TEST(checker, I_14_lets_repeats_pass) {
  auto x = with_outcomes();
  x.add(published{"0:2", "a", "two"});
  x.add(published{"0:1", "a", "one"});
  x.add(published{"0:2", "a", "two"});
  EXPECT_EQ(x.broken(), names{});
}

TEST(checker, I_14_lets_what_had_ended_before_there_were_topics_be_told_late) {
  auto x = a_good_life();
  x.told.with_topics = true;
  for (const auto* id : {"0:1", "0:2", "0:3"})
    x.add(to_publish{id, "a", "one"});
  x.add(topics_begun{});
  x.add(to_publish{"0:4", "a", "one"});
  for (const auto* id : {"0:1", "0:3", "0:1", "0:2", "0:3", "0:4"})
    x.add(published{id, "a", "one"});
  EXPECT_EQ(x.broken(), names{});
}

TEST(checker, I_14_sees_an_outcome_that_nobody_hears_of) {
  EXPECT_EQ(with_outcomes().broken(), names{"I-14"});
}

TEST(checker, I_14_sees_the_wrong_order_and_wrong_contents) {
  auto order = a_good_life();
  order.told.with_topics = true;
  order.add(to_publish{"0:1", "a", "one"});
  order.add(to_publish{"0:2", "a", "two"});
  order.add(published{"0:2", "a", "two"});
  order.add(published{"0:1", "a", "one"});
  EXPECT_EQ(order.broken(), names{"I-14"});
  auto content = with_outcomes();
  content.add(published{"0:2", "a", "three"});
  EXPECT_EQ(content.broken(), names{"I-14"});
  auto invented = with_outcomes();
  invented.add(published{"0:2", "a", "two"});
  invented.add(published{"0:3", "a", "three"});
  EXPECT_EQ(invented.broken(), names{"I-14"});
}

TEST(checker, I_15_sees_poison_without_a_dead_letter) {
  auto x = with_records();
  x.told.with_topics = true;
  reject(x);
  x.enqueue(92, "b", "r2");
  x.flush({{"in/0", 2}});
  EXPECT_EQ(x.broken(), names{"I-15"});
  x.add(dead_lettered{"in/0", 1});
  x.add(dead_lettered{"in/0", 1});
  EXPECT_EQ(x.broken(), names{});
  x.add(dead_lettered{"in/0", 2});
  EXPECT_EQ(x.broken(), names{"I-15"});
}

TEST(checker, I_16_sees_a_wrong_and_a_missing_body) {
  auto wrong = a_good_life();
  const auto id = wrong.deposit("b");
  wrong.write("b", wrong.a_claim(id, 1));
  auto got = wrong.a_hand_out(id, 1, "b");
  got.body = "body-1";
  wrong.add(got);
  EXPECT_EQ(wrong.broken(), names{"I-16"});
  auto missing = a_good_life();
  missing.add(body_missing{1});
  EXPECT_EQ(missing.broken(), names{"I-16"});
}

TEST(checker, I_17_sees_tables_that_say_something_else_than_the_log) {
  auto x = a_good_life();
  x.add(recovered{0, "one\n", "one\n"});
  EXPECT_EQ(x.broken(), names{});
  x.add(recovered{0, "one\n", "two\n"});
  EXPECT_EQ(x.broken(), names{"I-17"});
}

TEST(checker, I_18_sees_what_is_left) {
  auto x = a_good_life();
  x.add(left_over{"item 5"});
  EXPECT_EQ(x.broken(), names{"I-18"});
}

TEST(checker, C_1_sees_a_setting_that_was_confirmed_too_early) {
  auto x = a_good_life();
  const event change{user_eligibility_changed{"a", true, false}};
  x.add(proposed{1, {change}});
  x.add(in_force{1});
  EXPECT_EQ(x.broken(), names{"C-1"});
  auto good = a_good_life();
  good.add(proposed{1, {change}});
  good.write("", change);
  good.add(in_force{1});
  EXPECT_EQ(good.broken(), names{});
}

} // namespace

} // namespace depositd::simulation
