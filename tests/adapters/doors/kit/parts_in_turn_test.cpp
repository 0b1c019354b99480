#include "adapters/doors/kit/parts_in_turn.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <vector>

namespace depositd::kit {

namespace {

using numbers = std::vector<int>;

TEST(parts_in_turn, go_few_at_a_time_and_in_their_order) {
  numbers asked;
  std::vector<std::function<void()>> answers;
  ask_in_turn(numbers{1, 2, 3, 4}, 2, [&](int part, auto turn) {
    asked.push_back(part);
    answers.push_back([turn] { turn->next(); });
  });
  EXPECT_EQ(asked, (numbers{1, 2})) << "others come in between";
  answers[1]();
  EXPECT_EQ(asked, (numbers{1, 2, 3}));
  answers[0]();
  EXPECT_EQ(asked, (numbers{1, 2, 3, 4}));
  answers[2]();
  answers[3]();
  EXPECT_EQ(asked.size(), 4u);
}

TEST(parts_in_turn, may_be_answered_before_they_are_sent) {
  numbers asked;
  ask_in_turn(numbers{1, 2, 3}, 2, [&](int part, auto turn) {
    asked.push_back(part);
    turn->next();
  });
  EXPECT_EQ(asked, (numbers{1, 2, 3}));
}

TEST(parts_in_turn, are_none_where_there_are_none) {
  ask_in_turn(numbers{}, 2, [](int, auto) { FAIL(); });
}

} // namespace

} // namespace depositd::kit
