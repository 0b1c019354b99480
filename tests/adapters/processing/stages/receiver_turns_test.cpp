// Who is called when some do not answer.

#include "adapters/processing/stages/receiver_turns.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace depositd::stages {

namespace {

using namespace std::chrono_literals;

class turns_of_receivers : public ::testing::Test {
protected:
  /// A call that is over after so long.
  void call(const std::string& receiver, std::chrono::milliseconds took) {
    const auto turn = turns.enter(receiver);
    ASSERT_TRUE(turn) << receiver;
    now += took;
  }

  std::chrono::steady_clock::time_point now{1h};
  receiver_turns turns{
    {.slow_most = 1, .slow_from = 10s, .wait = 0ms, .now = [this] {
       return now;
     }}};
};

} // namespace

TEST_F(turns_of_receivers, are_many_where_answers_come) {
  call("a", 9s);
  std::vector<receiver_turns::turn> open;
  for (int n = 0; n < 8; ++n) {
    auto turn = turns.enter("a");
    ASSERT_TRUE(turn) << n;
    open.push_back(std::move(*turn));
  }
}

TEST_F(turns_of_receivers, are_as_many_as_their_worker_may_have) {
  auto first = turns.enter("a", {2});
  const auto second = turns.enter("a", {2});
  ASSERT_TRUE(first && second);
  EXPECT_FALSE(turns.enter("a", {2}));
  EXPECT_TRUE(turns.enter("b", {2}));
  first.reset();
  EXPECT_TRUE(turns.enter("a", {2}));
}

TEST_F(turns_of_receivers, come_singly_to_all_together_who_are_slow) {
  call("a", 10s);
  call("b", 5min);
  EXPECT_TRUE(turns.is_slow("a") && turns.is_slow("b"));
  const auto slow = turns.enter("a");
  ASSERT_TRUE(slow);
  EXPECT_FALSE(turns.enter("a"));
  EXPECT_FALSE(turns.enter("b"));
  EXPECT_TRUE(turns.enter("quick"));
}

TEST_F(turns_of_receivers, are_for_as_many_slow_ones_as_may_have_workers) {
  const turn_limits limits{.most = 3, .slow_most = 3};
  for (const auto* name : {"a", "b", "c", "d"})
    call(name, 1min);
  const auto first = turns.enter("a", limits);
  auto second = turns.enter("b", limits);
  const auto third = turns.enter("c", limits);
  ASSERT_TRUE(first && second && third);
  EXPECT_FALSE(turns.enter("a", limits));
  EXPECT_TRUE(turns.enter("d", limits)) << "it has none";
  EXPECT_TRUE(turns.enter("quick", limits));
  second.reset();
  EXPECT_TRUE(turns.enter("a", limits));
}

TEST_F(turns_of_receivers, are_taken_back_of_whom_has_most_once_all_take_long) {
  auto first = turns.enter("a");
  auto second = turns.enter("a");
  auto other = turns.enter("b");
  ASSERT_TRUE(first && second && other);
  EXPECT_FALSE(second->is_to_end(3)) << "one may soon be over";
  now += 10s;
  EXPECT_FALSE(second->is_to_end(4)) << "there is a worker for others";
  EXPECT_FALSE(first->is_to_end(3));
  EXPECT_FALSE(other->is_to_end(3));
  EXPECT_TRUE(second->is_to_end(3));
  auto late = turns.enter("c");
  now += 10s;
  EXPECT_TRUE(second->is_to_end(9)) << "what was said stays true";
  EXPECT_FALSE(late->is_to_end(4)) << "one is enough";
  second.reset();
  EXPECT_FALSE(other->is_to_end(3));
  EXPECT_TRUE(late->is_to_end(3)) << "of as many, the newest";
}

TEST_F(turns_of_receivers, are_left_to_who_is_fast) {
  receiver_turns fast{{.slow_most = turn_limits::no_limit,
                       .slow_from = 10s,
                       .fast_from = 100,
                       .wait = 0ms,
                       .now = [this] { return now; }}};
  auto first = fast.enter("a");
  auto second = fast.enter("a");
  auto other = fast.enter("b");
  ASSERT_TRUE(first && second && other);
  now += 10s;
  EXPECT_FALSE(second->is_to_end(3, 1'000)) << "that is fast";
  EXPECT_FALSE(other->is_to_end(3));
  EXPECT_TRUE(first->is_to_end(3, 999)) << "that is not, and has most";
  first.reset();
  now += 1s;
  auto last = fast.enter("c");
  ASSERT_TRUE(last);
  now += 10s;
  EXPECT_FALSE(second->is_to_end(3)) << "it was once, but is older";
  EXPECT_TRUE(last->is_to_end(3));
}

TEST_F(turns_of_receivers, are_left_while_one_of_them_is_new) {
  auto first = turns.enter("a");
  now += 10s;
  auto second = turns.enter("b");
  ASSERT_TRUE(first && second);
  EXPECT_FALSE(first->is_to_end(2));
  EXPECT_FALSE(second->is_to_end(2));
  now += 10s;
  EXPECT_FALSE(first->is_to_end(2));
  EXPECT_TRUE(second->is_to_end(2));
}

TEST_F(turns_of_receivers, end_for_whoever_has_not_answered_yet) {
  const auto first = turns.enter("a");
  ASSERT_TRUE(first);
  EXPECT_TRUE(turns.enter("a"));
  now += 10s;
  EXPECT_TRUE(turns.is_slow("a"));
  EXPECT_FALSE(turns.enter("a"));
  EXPECT_TRUE(turns.enter("quick"));
}

TEST_F(turns_of_receivers, are_as_before_for_whoever_is_quick_again) {
  call("a", 5min);
  call("a", 1s);
  EXPECT_FALSE(turns.is_slow("a"));
  const auto first = turns.enter("a");
  EXPECT_TRUE(turns.enter("a"));
}

TEST_F(turns_of_receivers, come_singly_to_whom_calls_fail_late) {
  const auto fail = [&](const std::string& receiver,
                        std::chrono::milliseconds after) {
    auto turn = turns.enter(receiver);
    ASSERT_TRUE(turn) << receiver;
    now += after;
    turn->has_failed();
  };
  fail("refuses", 10ms);
  fail("a", 5s);
  fail("b", 5s);
  EXPECT_FALSE(turns.is_slow("refuses"));
  const auto first = turns.enter("a");
  ASSERT_TRUE(first);
  EXPECT_FALSE(turns.enter("b"));
  EXPECT_TRUE(turns.enter("quick"));
}

TEST_F(turns_of_receivers, are_not_waited_for_where_one_is_known_to_be_slow) {
  call("a", 5min);
  const auto first = turns.enter_in_turn("a");
  ASSERT_TRUE(first);
  EXPECT_FALSE(turns.enter_in_turn("a"));
}

TEST(receiver, is_the_host_of_a_url) {
  const std::vector<std::pair<const char*, const char*>> cases{
    {"https://example.org", "example.org"},
    {"http://who:p@ss@example.org:81/back?x=@y#z", "example.org:81"},
    {"http://example.org?at=1", "example.org"},
    {"example.org/back", "example.org"},
    {"", ""}};
  for (const auto& [url, host] : cases)
    EXPECT_EQ(receiver_of(url), host) << url;
}

} // namespace depositd::stages
