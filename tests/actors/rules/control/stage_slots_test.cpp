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

TEST(slots_of_stages, row_p35_aptrusts_buffer_is_what_a_process_holds) {
  auto stage = a_stage();
  stage.handler = "aptrust.validate";
  stage.workers = 2;
  stage.buffer = 10;
  EXPECT_EQ(slots_of(stage).slots, 2u);
  EXPECT_EQ(slots_of(stage).slots * slots_of(stage).capacity, 10u);
  stage.workers = 3;
  stage.buffer = 20;
  EXPECT_LE(slots_of(stage).slots * slots_of(stage).capacity, 20u);
  stage.buffer = 0;
  EXPECT_EQ(slots_of(stage).capacity, 1u) << "nothing is fetched ahead";
  stage.workers = 0;
  EXPECT_EQ(slots_of(stage).slots, 0u);
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

TEST(slots_of_stages, need_what_their_handler_needs) {
  auto stage = a_stage();
  const auto slots_in = [&](const stage_process& where) {
    control_state state;
    state.pipelines["p"] = pipeline{"p", {stage}};
    return stage_slots_in(state, where).at("p.s").slots;
  };
  const stage_process bare{.name = "n1",
                           .is_engine = false,
                           .has_work_folder = false,
                           .has_storage = false};
  const stage_process node{.name = "n1", .is_engine = false};
  auto poor = node;
  poor.has_storage = false;
  EXPECT_EQ(slots_in(bare), 4u) << "a handler that needs nothing";
  stage.handler = "merritt.download";
  EXPECT_EQ(slots_in(bare), 0u);
  EXPECT_EQ(slots_in(poor), 4u);
  stage.handler = "merritt.store";
  EXPECT_EQ(slots_in(poor), 0u);
  EXPECT_EQ(slots_in(node), 4u);
  stage.handler = "aptrust.store";
  EXPECT_EQ(slots_in(poor), 0u);
  EXPECT_EQ(slots_in(node), 4u);
  stage.handler = "aptrust.validate";
  EXPECT_EQ(slots_in(node), 0u) << "an engine alone knows what else comes";
  EXPECT_EQ(slots_in({.name = "e1"}), 4u);
  stage.handler = "aptrust.cleanup";
  EXPECT_EQ(slots_in(poor), 4u);
  EXPECT_EQ(slots_in(bare), 0u);
  stage.handler = "merritt.notify";
  EXPECT_EQ(slots_in(node), 0u);
  EXPECT_EQ(slots_in({.name = "e1", .has_work_folder = false}), 4u);
  stage.kind = handler_kind::exec; // whatever the handler was
  EXPECT_EQ(slots_in(bare), 4u);
}

TEST(slots_of_stages, of_batches_are_in_engines_alone) {
  control_state state;
  state.pipelines["p"] = pipeline{"p", {a_stage()}};
  const auto node = stage_slots_in(state, {.name = "n1", .is_engine = false});
  EXPECT_EQ(node.at("p.batch").slots, 0u);
  EXPECT_FALSE(node.at("p.report").allowed);
  const auto lost =
    stage_slots_in(state, {.name = "e1", .has_work_folder = false});
  EXPECT_EQ(lost.at("p.batch").slots, 0u) << "payloads are put there";
  EXPECT_EQ(lost.at("p.report").slots, 2u);
}

TEST(workers_of_stages, count_everywhere_but_outside) {
  control_state state;
  auto stage = a_stage();
  stage.workers = 7;
  state.pipelines["p"] = pipeline{"p", {stage}};
  EXPECT_EQ(workers_of(state, "p.s"), 7u);
  EXPECT_EQ(workers_of(state, "p.batch"), no_cap);
  EXPECT_EQ(workers_of(state, "metadata"), no_cap);
  state.pipelines["p"] = [&] {
    stage.kind = handler_kind::external;
    return pipeline{"p", {stage}};
  }();
  EXPECT_EQ(workers_of(state, "p.s"), no_cap);
}

} // namespace depositd::rules
