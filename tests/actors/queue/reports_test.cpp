// What is told of the users of a queue.

#include "tests/support/polling_fixture.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace depositd {

namespace {

struct queue_reports : testing::polling_fixture {};

TEST_F(queue_reports, name_the_turns_in_which_users_are_served) {
  start();
  ASSERT_TRUE(change({queue_changed{"q", {}}}));
  for (const auto* user : {"dora", "ann", "carl", "bob", "eve"})
    put("q", {{user, 0, "x"}, {user, 0, "y"}});
  user_eligibility_changed hold;
  hold.user = "carl";
  hold.held = true;
  ASSERT_TRUE(change({hold}));
  std::vector<std::pair<std::uint32_t, std::string>> told;
  const auto listed = ask<users_listed>(core, list_users{"q"});
  ASSERT_TRUE(listed);
  ASSERT_EQ(listed->queues.size(), 1u);
  for (const auto& x : listed->queues[0].entries) {
    told.emplace_back(x.report.turn, x.user);
    EXPECT_EQ(x.report.ready, 2u) << x.user;
  }
  std::sort(told.begin(), told.end());
  ASSERT_EQ(told.size(), 5u);
  EXPECT_EQ(told[0], std::pair(0u, std::string{"carl"})) << "has no turn";
  const auto by = attach_to("q");
  want(by, 4);
  for (std::uint32_t turn = 1; turn <= 4; ++turn) {
    EXPECT_EQ(told[turn].first, turn);
    EXPECT_EQ(told[turn].second, by.got->items[turn - 1].user);
  }
}

} // namespace

} // namespace depositd
