#include "actors/rules/control/configuring.hpp"

#include "actors/rules/control/control.hpp"

#include <gtest/gtest.h>

namespace depositd {
namespace {

class configuring_test : public ::testing::Test {
protected:
  void start_with(const configuration_seen& seen) {
    for (const auto& x : rules::configuration_changes(state, seen))
      rules::apply(state, x);
  }

  control_state state;
};

configuration_seen seen_with(const queue_settings& letters,
                             std::uint32_t processors = 4) {
  return {{{"metadata", deposit_queue_defaults()}, {"letters", letters}},
          processors,
          {}};
}

} // namespace

TEST_F(configuring_test, makes_queues_and_processors_of_deposits) {
  start_with(seen_with(queue_settings{}));
  EXPECT_EQ(state.queues.at("metadata"), deposit_queue_defaults());
  EXPECT_EQ(state.queues.at("letters"), queue_settings{});
  EXPECT_EQ(state.processors.size(), 1u);
  EXPECT_EQ(state.processors.at("metadata").slots, 4u);
}

TEST_F(configuring_test, who_changed_last_wins) {
  queue_settings letters;
  start_with(seen_with(letters));
  auto of_operator = letters;
  of_operator.allocation = 3;
  of_operator.suspended = true;
  rules::apply(state, queue_changed{"letters", of_operator});
  start_with(seen_with(letters, 5));
  EXPECT_EQ(state.queues.at("letters").allocation, 3u);
  letters.allocation = 2;
  start_with(seen_with(letters, 5));
  EXPECT_EQ(state.queues.at("letters").allocation, 2u);
  EXPECT_TRUE(state.queues.at("letters").suspended);
}

TEST_F(configuring_test, another_kind_changes_nothing_of_a_queue) {
  start_with(seen_with(queue_settings{}));
  start_with(seen_with(deposit_queue_defaults()));
  EXPECT_EQ(state.queues.at("letters"), queue_settings{});
  start_with(seen_with(deposit_queue_defaults(), 5));
  EXPECT_EQ(state.queues.at("letters"), queue_settings{});
  EXPECT_FALSE(state.processors.contains("letters"))
    << "it would end messages that nobody has read";
  EXPECT_EQ(state.processors.at("metadata").slots, 5u);
}

} // namespace depositd
