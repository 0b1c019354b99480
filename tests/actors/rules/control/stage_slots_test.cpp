#include "actors/rules/control/stage_slots.hpp"

#include <gtest/gtest.h>

namespace depositd::rules {

namespace {

/// Slots of a pipeline "p" that has one stage, "s".
stage_slots slots_of(const stage_settings& x, const std::string& node = "n1") {
  control_state state;
  state.pipelines["p"] = pipeline{"p", {x}};
  const auto all = stage_slots_in(state, {.name = node});
  const auto at = all.find("p.s");
  EXPECT_NE(at, all.end());
  return at == all.end() ? stage_slots{} : at->second;
}

stage_settings a_stage() {
  stage_settings out;
  out.name = "s";
  out.handler = "h";
  return out;
}

} // namespace

TEST(slots_of_stages, are_as_many_as_its_workers_but_not_above_the_nodes) {
  auto stage = a_stage();
  stage.workers = 5;
  EXPECT_EQ(slots_of(stage).slots, 5u);
  stage.workers_per_node = 3;
  EXPECT_EQ(slots_of(stage).slots, 3u);
  stage.workers = 0;
  EXPECT_EQ(slots_of(stage).slots, 0u);
}

TEST(slots_of_stages, hold_one_item_and_what_is_fetched_ahead) {
  auto stage = a_stage();
  EXPECT_EQ(slots_of(stage).capacity, 1u);
  stage.buffer = 2;
  stage.lease_ms = 7'000;
  EXPECT_EQ(slots_of(stage).capacity, 3u);
  EXPECT_EQ(slots_of(stage).lease_ms, 7'000u);
}

TEST(slots_of_stages, are_on_the_nodes_that_the_stage_names) {
  auto stage = a_stage();
  stage.nodes = {"n2", "n3"};
  EXPECT_EQ(slots_of(stage, "n1").slots, 0u);
  EXPECT_EQ(slots_of(stage, "n3").slots, stage.workers);
}

TEST(slots_of_stages, wait_longer_for_a_program_than_it_may_take) {
  auto stage = a_stage();
  stage.kind = handler_kind::exec;
  stage.time_limit_ms = 600'000;
  EXPECT_EQ(slots_of(stage).handler_timeout_ms, 660'000u);
  stage.buffer = 1; // which waits for the one before it
  EXPECT_EQ(slots_of(stage).handler_timeout_ms, 1'320'000u);
}

TEST(slots_of_stages, are_not_there_for_workers_outside) {
  auto stage = a_stage();
  stage.kind = handler_kind::external;
  control_state state;
  state.pipelines["p"] = pipeline{"p", {stage}};
  const auto all = stage_slots_in(state, {.name = "n1"});
  EXPECT_FALSE(all.contains("p.s"));
  // Batches of such a pipeline are split and reported on here all the same.
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all.at("p.batch").slots, 2u);
  EXPECT_EQ(all.at("p.report").slots, 2u);
}

} // namespace depositd::rules
