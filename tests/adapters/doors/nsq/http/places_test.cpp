#include "adapters/doors/nsq/http/places.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace depositd::nsq_http {
namespace {

struct places_test : ::testing::Test {
  bool enter(int who) {
    return all->enter([this, who](places::place x) {
      begun.push_back(who);
      held.push_back(std::move(x));
    });
  }

  /// Others may come while it is left.
  void leave(std::size_t which) {
    const auto left = std::move(held[which]);
  }

  void leave_all() {
    for (std::size_t i = 0; i < held.size(); ++i)
      leave(i);
    held.clear();
  }

  void TearDown() override {
    leave_all();
  }

  std::shared_ptr<places> all = std::make_shared<places>(2, 3);
  std::vector<int> begun;
  std::vector<places::place> held;
};

} // namespace

TEST_F(places_test, let_a_few_in_and_have_some_wait) {
  for (const auto i : {1, 2, 3, 4, 5})
    EXPECT_TRUE(enter(i)) << i;
  EXPECT_FALSE(enter(6)) << "two have a place and three wait";
  EXPECT_EQ(begun, (std::vector{1, 2}));
}

TEST_F(places_test, go_to_who_waits_in_order) {
  for (const auto i : {1, 2, 3, 4})
    enter(i);
  const auto copy = held[0];
  leave(0);
  EXPECT_EQ(begun, (std::vector{1, 2})) << "a copy keeps it";
  leave(1);
  EXPECT_EQ(begun, (std::vector{1, 2, 3}));
  EXPECT_TRUE(enter(5));
  EXPECT_EQ(begun, (std::vector{1, 2, 3})) << "both are taken again";
}

TEST_F(places_test, are_free_once_nobody_waits) {
  enter(1);
  enter(2);
  leave_all();
  enter(3);
  enter(4);
  EXPECT_EQ(begun, (std::vector{1, 2, 3, 4}));
}

TEST_F(places_test, are_passed_on_by_any_number_who_do_not_use_them) {
  constexpr int very_many = 200'000;
  all = std::make_shared<places>(1, very_many);
  enter(0);
  int passed = 0;
  for (int i = 0; i < very_many; ++i)
    all->enter([&passed](const places::place&) { ++passed; });
  EXPECT_FALSE(enter(1));
  leave_all();
  EXPECT_EQ(passed, very_many);
  EXPECT_TRUE(enter(2));
  EXPECT_EQ(begun, (std::vector{0, 2}));
}

TEST_F(places_test, are_passed_on_by_who_does_not_use_them) {
  enter(1);
  enter(2);
  EXPECT_TRUE(all->enter([](const places::place&) {}));
  EXPECT_TRUE(enter(4));
  leave(0);
  EXPECT_EQ(begun, (std::vector{1, 2, 4}));
}

} // namespace depositd::nsq_http
