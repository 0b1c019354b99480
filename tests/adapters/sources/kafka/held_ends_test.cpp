#include "adapters/sources/kafka/held_ends.hpp"

#include <gtest/gtest.h>

namespace depositd::sources {

namespace {

using namespace std::chrono_literals;

using place = std::pair<std::int32_t, std::int64_t>;

class held_ends_test : public ::testing::Test {
protected:
  std::optional<place> first() const {
    return held.first(now);
  }

  held_ends held;
  held_ends::clock::time_point now{};
};

TEST_F(held_ends_test, are_told_of_when_they_last) {
  for (int i = 0; i < 20; ++i, now += 1s) {
    held.see({{0, {7, 9, true}}, {1, {5, 5, true}}}, now);
    EXPECT_FALSE(first());
  }
  EXPECT_EQ(first(), (place{0, 7}));
  held.see({{0, {7, -1, true}}}, now);
  EXPECT_EQ(first(), (place{0, 7})) << "a new client does not know yet";
  held.see({{0, {9, 9, true}}}, now);
  EXPECT_FALSE(first()) << "it has ended";
}

TEST_F(held_ends_test, are_none_while_transactions_come_and_go) {
  for (std::int64_t i = 0; i < 100; ++i, now += 1s) {
    held.see({{0, {i, i + 2, true}}}, now);
    EXPECT_FALSE(first());
  }
}

TEST_F(held_ends_test, are_none_while_there_is_something_to_read) {
  held.see({{0, {7, 9, false}}}, now);
  held.see({{1, {7, -1, true}}}, now);
  now += 1min;
  EXPECT_FALSE(first());
}

} // namespace

} // namespace depositd::sources
