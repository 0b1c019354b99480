#include "actors/rules/ring/draw_weights.hpp"

#include <gtest/gtest.h>

#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <numeric>
#include <string>
#include <vector>

namespace depositd::rules {

namespace {

using weights = std::vector<std::uint32_t>;

void weigh_all(draw_weights& who, const weights& all) {
  for (std::size_t i = 0; i < all.size(); ++i)
    who.weigh(i, all[i]);
}

std::uint64_t sum(const weights& all) {
  return std::accumulate(all.begin(), all.end(), std::uint64_t{0});
}

/// A few doors, some of them empty, some crowded.
weights some_weights(std::size_t doors) {
  weights out;
  for (std::size_t i = 0; i < doors; ++i)
    out.push_back(*rc::gen::weightedElement<std::uint32_t>(
      {{1, 0}, {3, 1}, {2, *rc::gen::inRange(2, 30)}, {1, 1000}}));
  return out;
}

std::vector<std::uint64_t> visit(draw_weights& who, std::uint64_t times) {
  std::vector<std::uint64_t> out(32);
  for (std::uint64_t i = 0; i < times; ++i) {
    const auto door = who.next();
    if (!door)
      break;
    who.served(*door);
    ++out[*door];
  }
  return out;
}

/// Off by no more than a hand-out per door, whatever came before.
void check_shares(const weights& all, const std::vector<std::uint64_t>& got,
                  std::uint64_t times, double slack) {
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto due = static_cast<double>(times) * all[i]
                     / static_cast<double>(sum(all));
    RC_ASSERT(std::abs(static_cast<double>(got[i]) - due) <= slack);
  }
}

TEST(visits_test, nobody_is_visited_where_nobody_waits) {
  draw_weights who;
  EXPECT_FALSE(who.next());
  who.weigh(2, 5);
  EXPECT_EQ(who.next(), 2u);
  EXPECT_EQ(who.weight(0), 0u);
  who.weigh(2, 0);
  EXPECT_FALSE(who.next());
}

TEST(visits_test, one_and_nine_users_get_the_same_each) {
  draw_weights who;
  weigh_all(who, {1, 9});
  const auto got = visit(who, 1000);
  EXPECT_EQ(got[0], 100u);
  EXPECT_EQ(got[1], 900u);
}

TEST(visits_test, crowds_are_not_served_in_bursts) {
  draw_weights who;
  weigh_all(who, {2, 1});
  std::string order;
  for (int i = 0; i < 6; ++i) {
    const auto door = who.next();
    order += door == 0u ? 'a' : 'b';
    who.served(*door);
  }
  EXPECT_EQ(order, "abaaba");
}

TEST(visits_test, a_visit_without_an_item_costs_nothing) {
  draw_weights who;
  weigh_all(who, {1, 1});
  EXPECT_EQ(who.next(), 0u);
  who.weigh(0, 0); // there was nothing
  EXPECT_EQ(who.next(), 1u);
  who.served(1);
  who.weigh(0, 1);
  EXPECT_EQ(who.next(), 0u);
}

TEST(visits_test, a_door_that_gave_much_out_of_turn_is_back_soon) {
  draw_weights who;
  weigh_all(who, {1, 1});
  for (int i = 0; i < 1000; ++i)
    who.served(0);
  const auto got = visit(who, 10);
  EXPECT_GE(got[0], 3u);
}

TEST(visits_test, what_was_long_ago_does_not_count) {
  draw_weights who;
  weigh_all(who, {1, 1, 0, 0});
  for (int i = 0; i < 10; ++i)
    who.served(1);
  who.weigh(1, 0);
  visit(who, 16); // four doors: each is behind by four at most
  who.weigh(1, 1);
  EXPECT_GE(visit(who, 2)[1], 1u);
}

RC_GTEST_PROP(visits_property_test, shares_are_in_proportion, ()) {
  const auto doors = *rc::gen::inRange<std::size_t>(1, 12);
  const auto all = some_weights(doors);
  RC_PRE(sum(all) > 0);
  draw_weights who;
  weigh_all(who, all);
  const auto times = *rc::gen::inRange<std::uint64_t>(1, 3000);
  check_shares(all, visit(who, times), times, static_cast<double>(doors));
}

RC_GTEST_PROP(visits_property_test, nobody_who_waits_starves, ()) {
  const auto doors = *rc::gen::inRange<std::size_t>(1, 12);
  const auto all = some_weights(doors);
  RC_PRE(sum(all) > 0);
  draw_weights who;
  weigh_all(who, all);
  std::vector<std::uint64_t> last(doors);
  for (std::uint64_t now = 1; now <= 4 * sum(all); ++now) {
    const auto door = *who.next();
    RC_ASSERT(all[door] > 0);
    who.served(door);
    last[door] = now;
    for (std::size_t i = 0; i < doors; ++i)
      if (all[i] > 0)
        RC_ASSERT(now - last[i] <= (doors + 1) * (sum(all) / all[i] + 1));
  }
}

RC_GTEST_PROP(visits_property_test, new_weights_count_at_once, ()) {
  const auto doors = *rc::gen::inRange<std::size_t>(1, 12);
  draw_weights who;
  for (auto changes = *rc::gen::inRange(1, 20); changes > 0; --changes) {
    weigh_all(who, some_weights(doors));
    visit(who, *rc::gen::inRange<std::uint64_t>(0, 200));
  }
  const auto all = some_weights(doors);
  RC_PRE(sum(all) > 0);
  weigh_all(who, all);
  const auto times = *rc::gen::inRange<std::uint64_t>(1, 1000);
  check_shares(all, visit(who, times), times,
               2.0 * static_cast<double>(doors) + 1);
}

} // namespace

} // namespace depositd::rules
