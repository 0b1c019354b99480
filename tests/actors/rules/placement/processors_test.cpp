#include "actors/rules/placement/processors.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace depositd::rules::placement {

namespace {

/// A deposit queue, a message queue, an outbox, and a pipeline of one stage.
control_state a_state() {
  control_state out;
  const auto add = [&](const char* name, queue_kind kind) {
    queue_settings settings;
    settings.kind = kind;
    out.queues[name] = settings;
  };
  add("metadata", queue_kind::deposit);
  add("messages", queue_kind::message);
  add("outbox", queue_kind::outbox);
  stage_settings stage;
  stage.name = "s";
  stage.handler = "h";
  stage.workers = 3;
  out.pipelines["p"] = pipeline{"p", {stage}};
  for (const auto* name : {"p.s", "p.split", "p.report"})
    add(name, queue_kind::stage);
  return out;
}

void set_up(control_state& state, const std::string& name,
            std::vector<std::string> types, std::uint32_t slots = 2) {
  state.processors[name] = {name, std::move(types), slots, {}};
}

slots_process an_engine() {
  slots_process out;
  out.where.name = "engine";
  return out;
}

slots_process a_node(const std::string& name = "n1") {
  slots_process out;
  out.where.name = name;
  out.where.is_engine = false;
  out.slots_default = 4;
  return out;
}

TEST(placed_processors, the_first_type_that_is_a_queue_decides) {
  auto state = a_state();
  set_up(state, "one", {"none", "metadata", "messages"});
  set_up(state, "two", {"nowhere"});
  state.configured.processors_count = 2;
  const auto all = processors_of(state, an_engine());
  ASSERT_TRUE(all.contains("one"));
  EXPECT_EQ(all.at("one").queue, "metadata");
  EXPECT_EQ(all.at("one").spec.slots, 2u);
  EXPECT_FALSE(all.at("one").stage);
  EXPECT_FALSE(all.contains("two"));
}

TEST(placed_processors, stages_have_their_own_wherever_handlers_are) {
  const auto state = a_state();
  auto process = an_engine();
  const auto all = processors_of(state, process);
  ASSERT_TRUE(all.contains("p.s"));
  EXPECT_EQ(all.at("p.s").spec.slots, 3u);
  ASSERT_TRUE(all.at("p.s").stage);
  EXPECT_TRUE(all.contains("outbox"));
  process.has_stage_handlers = false;
  EXPECT_TRUE(processors_of(state, process).empty());
}

TEST(placed_processors, one_of_an_operator_runs_no_stage_that_is_not_allowed) {
  auto state = a_state();
  set_up(state, "mine", {"outbox", "metadata"});
  EXPECT_TRUE(processors_of(state, an_engine()).contains("mine"));
  state.configured.processors_count = 1;
  EXPECT_FALSE(processors_of(state, a_node()).contains("mine"))
    << "the outbox is an engine's, and what comes later does not count";
}

TEST(placed_processors, run_where_an_operator_has_placed_them) {
  auto state = a_state();
  set_up(state, "one", {"metadata"});
  state.placements["one"] = {"one", {"n2", "engine"}};
  EXPECT_TRUE(processors_of(state, an_engine()).contains("one"));
  EXPECT_FALSE(processors_of(state, a_node("n1")).contains("one"));
  EXPECT_TRUE(processors_of(state, a_node("n2")).contains("one"));
}

TEST(placed_processors, a_node_works_where_the_engine_was_told_not_to) {
  auto state = a_state();
  auto node = a_node();
  ASSERT_TRUE(processors_of(state, node).contains("metadata"));
  EXPECT_EQ(processors_of(state, node).at("metadata").spec.slots, 4u);
  EXPECT_FALSE(processors_of(state, node).contains("messages"));
  EXPECT_FALSE(processors_of(state, an_engine()).contains("metadata"));
  node.slots = 7;
  EXPECT_EQ(processors_of(state, node).at("metadata").spec.slots, 7u);
  set_up(state, "one", {"metadata"});
  EXPECT_EQ(processors_of(state, node).at("one").spec.slots, 7u);
  state.configured.processors_count = 2;
  EXPECT_FALSE(processors_of(state, node).contains("metadata"));
}

TEST(placed_processors, slots_stay_where_only_their_number_changes) {
  auto state = a_state();
  const auto before = processors_of(state, an_engine()).at("p.s");
  auto after = before;
  after.spec.slots = 9;
  after.stage->slots = 9;
  EXPECT_TRUE(same_slots(before, after));
  after.stage->lease_ms += 1;
  EXPECT_FALSE(same_slots(before, after));
  after = before;
  after.spec.wants.required = {"ann"};
  EXPECT_FALSE(same_slots(before, after));
  after = before;
  after.queue = "metadata";
  EXPECT_FALSE(same_slots(before, after));
}

} // namespace

} // namespace depositd::rules::placement
