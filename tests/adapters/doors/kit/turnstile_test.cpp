#include "adapters/doors/kit/turnstile.hpp"

#include <gtest/gtest.h>

namespace depositd::kit {
namespace {

using namespace std::chrono_literals;

arrival_limits few() {
  arrival_limits out;
  out.connections_max = 3;
  out.connections_per_address_max = 2;
  out.unfinished_max = 4;
  out.unfinished_per_address_max = 3;
  return out;
}

class kit_turnstile : public ::testing::Test {
protected:
  /// Who has to go for it; 0: nobody.
  turnstile::id enters(turnstile::id who, const std::string& holder) {
    return door.enter(who, holder, now).value_or(0);
  }

  bool comes_in(turnstile::id who, const std::string& holder) {
    enters(who, holder);
    return door.finish(who);
  }

  turnstile::time_point now{1000s};
  turnstile door{few()};
};

TEST_F(kit_turnstile, keeps_the_newest_unfinished_of_an_address) {
  for (turnstile::id who : {1, 2, 3})
    EXPECT_EQ(enters(who, "a"), 0U);
  EXPECT_EQ(enters(4, "a"), 1U);
  EXPECT_EQ(door.unfinished(), 3U);
  EXPECT_EQ(enters(5, "b"), 0U);
  EXPECT_TRUE(door.finish(2));
  EXPECT_EQ(enters(6, "c"), 0U);
}

TEST_F(kit_turnstile, makes_room_at_the_cost_of_who_has_most) {
  for (turnstile::id who : {1, 2, 3})
    enters(who, "many");
  enters(4, "one");
  EXPECT_EQ(enters(5, "other"), 1U);
  EXPECT_EQ(door.unfinished(), 4U);
  EXPECT_FALSE(door.finish(1)); // its place is gone
  EXPECT_TRUE(door.finish(4));
}

TEST_F(kit_turnstile, spares_who_opens_several_at_once) {
  enters(1, "silent");
  now += turnstile::grace;
  for (turnstile::id who : {2, 3, 4})
    EXPECT_EQ(enters(who, "busy"), 0U);
  EXPECT_EQ(enters(5, "other"), 1U);
  EXPECT_EQ(enters(6, "another"), 2U); // all have only just come
  for (turnstile::id who : {3, 4})
    EXPECT_TRUE(door.finish(who));
}

TEST_F(kit_turnstile, lets_the_first_go_where_all_have_come_just_now) {
  for (turnstile::id who : {1, 2})
    enters(who, "crowd");
  for (turnstile::id who : {3, 4})
    enters(who, "honest");
  EXPECT_EQ(enters(5, "other"), 1U);
  // Not one that has less than its share.
  EXPECT_EQ(enters(6, "crowd"), 3U);
}

TEST_F(kit_turnstile, spares_nobody_for_longer) {
  enters(1, "silent");
  for (turnstile::id who : {2, 3, 4})
    enters(who, "many");
  now += turnstile::grace;
  EXPECT_EQ(enters(5, "other"), 2U);
}

TEST_F(kit_turnstile, bounds_the_finished_of_an_address_and_of_all) {
  EXPECT_TRUE(comes_in(1, "a"));
  EXPECT_TRUE(comes_in(2, "a"));
  EXPECT_FALSE(comes_in(3, "a"));
  door.leave(3);
  EXPECT_TRUE(comes_in(4, "b"));
  EXPECT_FALSE(comes_in(5, "c"));
  door.leave(1);
  EXPECT_TRUE(door.finish(5));
}

TEST_F(kit_turnstile, tells_once_whose_time_is_up) {
  enters(1, "a");
  now += 4s;
  enters(2, "a");
  comes_in(3, "b");
  EXPECT_TRUE(door.overdue(now).empty());
  now += 6s;
  EXPECT_EQ(door.overdue(now), std::vector<turnstile::id>{1});
  EXPECT_TRUE(door.overdue(now).empty());
  now += 4s;
  EXPECT_EQ(door.overdue(now), std::vector<turnstile::id>{2});
  now += 1h;
  EXPECT_TRUE(door.overdue(now).empty()); // the third has shaken hands
  door.closing(3, now);
  now += 10s;
  EXPECT_EQ(door.overdue(now), std::vector<turnstile::id>{3});
}

TEST_F(kit_turnstile, is_empty_when_all_have_left) {
  enters(1, "a");
  comes_in(2, "a");
  door.leave(1);
  door.leave(2);
  door.leave(2);
  EXPECT_EQ(door.unfinished(), 0U);
  EXPECT_EQ(door.finished(), 0U);
  EXPECT_TRUE(door.overdue(now + 1h).empty());
}

TEST(kit_holder, is_an_address_or_the_first_half_of_a_long_one) {
  EXPECT_EQ(holder_of("127.0.0.1"), "127.0.0.1");
  EXPECT_EQ(holder_of("::ffff:10.0.0.7"), "10.0.0.7");
  EXPECT_EQ(holder_of("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2::/64");
  EXPECT_EQ(holder_of("2001:db8:1:2:ffff::9"), "2001:db8:1:2::/64");
}

} // namespace
} // namespace depositd::kit
