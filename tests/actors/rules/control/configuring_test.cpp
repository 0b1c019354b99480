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

TEST_F(configuring_test, makes_processors_of_deposits_that_come_later) {
  auto seen = seen_with(queue_settings{});
  start_with(seen);
  seen.queues.push_back({"query", deposit_queue_defaults()});
  start_with(seen);
  EXPECT_TRUE(state.processors.contains("query"));
}

TEST_F(configuring_test, lets_users_go_who_are_not_prohibited_any_more) {
  auto seen = seen_with(queue_settings{});
  seen.prohibited_users = {"taylor", "creftest"};
  start_with(seen);
  rules::apply(state, user_eligibility_changed{"taylor", true, true});
  rules::apply(state, user_eligibility_changed{"smith", false, true});
  seen.prohibited_users = {"creftest", "jones"};
  start_with(seen);
  EXPECT_FALSE(state.eligibilities.at("taylor").prohibited);
  EXPECT_TRUE(state.eligibilities.at("taylor").held) << "that was an operator";
  EXPECT_TRUE(state.eligibilities.at("creftest").prohibited);
  EXPECT_TRUE(state.eligibilities.at("jones").prohibited);
  EXPECT_TRUE(state.eligibilities.at("smith").prohibited)
    << "of whom no file has said anything";
}

TEST_F(configuring_test, leaves_who_was_let_go_while_the_list_is_the_same) {
  auto seen = seen_with(queue_settings{});
  seen.prohibited_users = {"taylor"};
  start_with(seen);
  rules::apply(state, user_eligibility_changed{"taylor", false, false});
  seen.processors_count = 5;
  start_with(seen);
  EXPECT_FALSE(state.eligibilities.contains("taylor"));
}

TEST_F(configuring_test, leaves_processors_that_were_removed_as_they_are) {
  auto seen = seen_with(queue_settings{});
  start_with(seen);
  rules::apply(state, processor_changed{state.processors.at("metadata"), true});
  seen.queues.back().settings.allocation = 2;
  start_with(seen);
  EXPECT_FALSE(state.processors.contains("metadata"));
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
