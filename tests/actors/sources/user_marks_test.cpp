// How far a scheduler feeds single users, whichever sources have their records.

#include "tests/actors/sources/sources_fixture.hpp"

namespace depositd {

namespace {

using namespace std::chrono_literals;

class user_marks_test : public testing::sources_fixture {};

TEST_F(user_marks_test, a_user_at_its_mark_holds_no_others_up) {
  auto& a = has("a");
  a.add(5, "ann");
  a.add(1, "bob");
  has("b").add(3, "ann");
  plan.settings.high_per_user = 2;
  start();
  go(500ms);
  EXPECT_EQ(queue->left_of("ann"), 2u);
  EXPECT_EQ(queue->left_of("bob"), 1u);
  for (int i = 0; i < 20; ++i) {
    queue->finish(1);
    go(300ms);
    EXPECT_LE(queue->left_of("ann"), 2u);
  }
  EXPECT_EQ(queue->keys_of("a").size(), 6u);
  EXPECT_EQ(queue->keys_of("b").size(), 3u);
}

TEST_F(user_marks_test, sources_of_one_user_share_its_room) {
  has("a").add(3, "ann");
  has("b").add(3, "ann");
  plan.settings.high_per_user = 4;
  start();
  for (int i = 0; i < 3; ++i) {
    go(1s);
    EXPECT_LE(queue->left_of("ann"), 4u);
    queue->finish(4);
  }
  EXPECT_EQ(queue->keys_of("a").size() + queue->keys_of("b").size(), 6u);
}

TEST_F(user_marks_test, what_a_user_has_room_for_is_not_set_aside) {
  auto& a = has("a");
  a.add(1, "ann");
  plan.settings.high_per_user = 3;
  start();
  go(500ms);
  EXPECT_EQ(queue->left_of("ann"), 1u) << "how many there are is known now";
  a.add(1, "ann");
  go(2s);
  EXPECT_EQ(queue->left_of("ann"), 2u);
  a.add(4, "ann");
  go(2s);
  EXPECT_EQ(queue->left_of("ann"), 3u);
}

TEST_F(user_marks_test, who_has_enough_gets_nothing_that_comes_later) {
  auto& a = has("a");
  a.add(3, "ann");
  plan.settings.high_per_user = 2;
  start();
  go(2s); // it was asked again, and there was no room
  a.add(2, "ann");
  go(2s);
  EXPECT_EQ(queue->keys_of("a"), keys(0, 2));
}

TEST_F(user_marks_test, room_that_is_promised_is_no_other_sources) {
  has("a").add(2, "ann");
  auto& b = has("b");
  plan.settings.high_per_user = 2;
  queue->foreign = plan.settings.high;
  start();
  go(500ms); // there is room for her, and none in the queue
  b.add(1, "ann");
  go(2s);
  queue->foreign = 0;
  go(2s);
  EXPECT_EQ(queue->left_of("ann"), 2u);
  EXPECT_TRUE(queue->keys_of("b").empty());
}

TEST_F(user_marks_test, a_pause_gives_back_what_was_promised) {
  auto& a = has("a");
  a.add(2, "ann");
  plan.settings.high_per_user = 2;
  queue->foreign = plan.settings.high;
  start();
  go(500ms);
  set_of("a").paused = true;
  tell();
  set_of("a").paused = false;
  tell();
  queue->foreign = 0;
  go(2s);
  queue->finish(2);
  a.add(2, "ann");
  go(2s);
  EXPECT_EQ(queue->keys_of("a"), keys(0, 4));
}

TEST_F(user_marks_test, what_is_paused_takes_no_room_from_others) {
  has("a").add(3, "ann");
  auto& b = has("b");
  plan.settings.high_per_user = 2;
  start();
  go(500ms);
  set_of("a").paused = true;
  tell();
  b.add(4, "ann");
  for (int i = 0; i < 4; ++i) {
    go(2s);
    EXPECT_LE(queue->left_of("ann"), 2u);
    queue->finish(2);
  }
  EXPECT_EQ(queue->keys_of("a").size(), 2u);
  EXPECT_EQ(queue->keys_of("b").size(), 4u);
}

TEST_F(user_marks_test, not_all_users_are_asked_for_at_once) {
  auto& a = has("a");
  for (const auto* user : {"ann", "bob", "cyd", "dan", "eve"})
    a.add(1, user);
  plan.settings.high_per_user = 2;
  options.limits.users_asked_max = 2;
  start();
  go(1s);
  EXPECT_EQ(queue->users_asked_most, 2u);
  EXPECT_EQ(queue->items.size(), 5u);
}

TEST_F(user_marks_test, not_all_who_ever_came_are_remembered) {
  auto& a = has("a");
  plan.settings.high_per_user = 5;
  options.limits.users_known_max = 2;
  start();
  const auto come = [&](const char* user) {
    a.add(1, user);
    go(2s);
  };
  come("ann");
  come("ann");
  EXPECT_EQ(queue->users_asked["ann"], 1) << "she is known";
  come("bob");
  come("cyd");
  come("ann");
  EXPECT_EQ(queue->users_asked["ann"], 2) << "others came meanwhile";
  EXPECT_EQ(queue->left_of("ann"), 3u);
}

TEST_F(user_marks_test, records_of_a_user_keep_their_order) {
  has("a").add(9, "ann");
  plan.settings.high_per_user = 2;
  start();
  for (int i = 0; i < 20; ++i) {
    queue->finish(1);
    go(300ms);
  }
  EXPECT_EQ(queue->keys_of("a"), keys(0, 9));
}

TEST_F(user_marks_test, items_from_before_a_start_count_for_their_user) {
  queue->items.push_back({"a", "x1", "ann", "", false});
  queue->items.push_back({"a", "x2", "ann", "", false});
  auto& a = has("a");
  a.add(3, "ann");
  a.add(2, "bob");
  plan.settings.high_per_user = 2;
  start();
  go(1s);
  EXPECT_EQ(queue->left_of("ann"), 2u);
  EXPECT_EQ(queue->left_of("bob"), 2u);
}

TEST_F(user_marks_test, without_marks_of_users_all_come_back) {
  has("a").add(9, "ann");
  plan.settings.high_per_user = 2;
  start();
  go(100ms);
  EXPECT_EQ(queue->items.size(), 2u);
  plan.settings.high_per_user = no_mark;
  tell();
  EXPECT_EQ(queue->keys_of("a"), keys(0, 9));
}

} // namespace

} // namespace depositd
