#include "messages/values/memory_budget.hpp"

#include <gtest/gtest.h>

#include <memory>

namespace depositd {
namespace {

constexpr auto beside = memory_budget::beside_body;

TEST(memory_budget, counts_what_passes_and_what_stays_together) {
  memory_budget budget{{.bytes_max = 1000, .kept_max = 500}};
  EXPECT_TRUE(budget.take(50));
  EXPECT_TRUE(budget.hold(950 - beside));
  EXPECT_EQ(budget.used(), 1000u);
  EXPECT_EQ(budget.kept(), 50 + beside);
  EXPECT_FALSE(budget.hold(1));
  EXPECT_FALSE(budget.take(1));
  budget.let_go(950 - beside);
  EXPECT_TRUE(budget.take(10));
  budget.give_back(50);
  budget.give_back(10);
  EXPECT_EQ(budget.used(), 0u);
  EXPECT_EQ(budget.kept(), 0u);
}

TEST(memory_budget, leaves_room_beside_bodies_that_stay) {
  memory_budget budget{{.bytes_max = 1000, .kept_max = 60 + beside}};
  EXPECT_TRUE(budget.take(60));
  EXPECT_FALSE(budget.take(1));
  EXPECT_TRUE(budget.hold(940 - beside));
}

TEST(memory_budget, counts_what_is_there_already_beyond_itself) {
  memory_budget budget{{.bytes_max = 100, .kept_max = 60}};
  budget.hold_anyway(150);
  EXPECT_FALSE(budget.hold(1));
  budget.let_go(150);
  EXPECT_TRUE(budget.hold(100));
}

TEST(held_memory, goes_back_with_whoever_held_it) {
  const auto budget =
    std::make_shared<memory_budget>(memory_budget::limits{100, 0});
  {
    held_memory one{budget};
    EXPECT_TRUE(one.grow(70));
    EXPECT_FALSE(one.grow(40));
    EXPECT_EQ(one.bytes(), 70u);
    one.shrink(20);
    EXPECT_TRUE(one.grow(40));
    one.grow_anyway(40);
    EXPECT_EQ(budget->used(), 130u);
  }
  EXPECT_EQ(budget->used(), 0u);
}

} // namespace
} // namespace depositd
