// Stages that several processes work on: an engine and nodes that joined it.

#include "actors/processors/manager.hpp"
#include "tests/actors/processors/patient_bench.hpp"
#include "tests/actors/work/work_fixture.hpp"
#include "tests/support/distant_shard.hpp"

#include <algorithm>
#include <deque>
#include <map>

namespace depositd::testing {

namespace {

/// A process: its manager, and what its handlers hold.
struct process {
  explicit process(caf::actor_system& sys, std::uint32_t number)
    : way(sys, number) {
    // nop
  }

  other_node way; ///< to the engine, if it is a node
  std::shared_ptr<bench> held = std::make_shared<bench>();
  processor_manager_actor manager;
  bool has_work_folder = true;

  std::size_t count(const std::string& queue) const {
    return static_cast<std::size_t>(std::count_if(
      held->tasks.begin(), held->tasks.end(),
      [&](const auto& task) { return task.asked.queue == queue; }));
  }

  bool has(const std::string& queue) const {
    return count(queue) > 0;
  }
};

class stage_nodes_test : public work_fixture {
protected:
  void SetUp() override {
    work_fixture::SetUp();
    stages.stages[0].workers = 3;
    set_pipeline();
  }

  void TearDown() override {
    for (auto& x : processes) {
      x.held->tasks.clear();
      x.way.cut();
    }
    work_fixture::TearDown();
  }

  void set_pipeline() {
    auto known = ask<control_changed>(core, watch_control{nullptr});
    ASSERT_TRUE(known);
    ASSERT_TRUE(change(rules::with_queues(*known->state, {stages, false})));
    settle();
  }

  process& add(const std::string& name, bool is_node) {
    auto& out = processes.emplace_back(
      sys, static_cast<std::uint32_t>(processes.size() + 1));
    processors::processor_manager_options options;
    options.called = name;
    options.clock = engine_clock{time_us, sched.clock().now()};
    options.spawn_handler = [this, &out] { return handler(out); };
    options.spawn_stage_handler = [this, &out](const std::string&) {
      return handler(out);
    };
    options.has_work_folder = [&out] { return out.has_work_folder; };
    if (is_node) {
      options.node.emplace();
      options.node->name = name;
    } else {
      options.shard = core;
    }
    out.manager = spawn(processors::processor_manager, options);
    if (is_node) {
      auto shard = spawn(distant_shard, core, &out.way);
      caf::anon_send(caf::actor_cast<caf::actor>(out.manager),
                     meet_shard{caf::actor_cast<caf::strong_actor_ptr>(shard)});
    }
    settle();
    return out;
  }

  handler_actor handler(const process& of) {
    auto out = sys.spawn(patient_handler, of.held);
    adopt(out);
    return out;
  }

  std::size_t in_process(const std::string& queue) {
    std::size_t out = 0;
    for (const auto& x : processes)
      out += x.count(queue);
    return out;
  }

  /// Wherever there is one of this queue.
  bool finish_one(const std::string& queue) {
    for (auto& x : processes)
      for (auto at = x.held->tasks.begin(); at != x.held->tasks.end(); ++at)
        if (at->asked.queue == queue) {
          const auto task = *at;
          x.held->tasks.erase(at);
          journal::answer(task.where,
                          caf::make_message(outcome_of(task.asked.item)));
          settle();
          return true;
        }
    return false;
  }

  /// Slots of a process by the queue of their stage.
  std::map<std::string, std::size_t> slots(const process& x) {
    std::map<std::string, std::size_t> out;
    auto report = ask<slots_report>(x.manager, report_slots{});
    EXPECT_TRUE(report);
    for (const auto& slot : report->entries)
      if (slot.queue.starts_with("p."))
        ++out[slot.queue];
    return out;
  }

  std::deque<process> processes; ///< stay where they are
};

using expected_slots = std::map<std::string, std::size_t>;

} // namespace

TEST_F(stage_nodes_test, share_the_workers_of_a_stage) {
  submit_and_split(12);
  auto& engine = add("e1", false);
  EXPECT_EQ(engine.held->tasks.size(), 3u);
  auto& first = add("n1", true);
  auto& second = add("n2", true);
  EXPECT_EQ(in_process("p.first"), 3u);
  bool seen_elsewhere = false;
  for (int i = 0; i < 6; ++i) {
    ASSERT_TRUE(finish_one("p.first"));
    ASSERT_EQ(in_process("p.first"), 3u);
    seen_elsewhere =
      seen_elsewhere || first.has("p.first") || second.has("p.first");
  }
  EXPECT_TRUE(seen_elsewhere) << "the nodes stood by";
}

TEST_F(stage_nodes_test, give_back_at_once_what_a_dead_node_held) {
  submit_and_split(3);
  auto& node = add("n1", true);
  ASSERT_EQ(node.held->tasks.size(), 3u);
  auto& engine = add("e1", false);
  EXPECT_TRUE(engine.held->tasks.empty());
  caf::anon_send_exit(node.manager, caf::exit_reason::kill);
  settle();
  node.held->tasks.clear();
  node.way.cut();
  settle();
  EXPECT_EQ(engine.held->tasks.size(), 3u);
}

TEST_F(stage_nodes_test, run_what_needs_the_folder_only_where_it_is) {
  stages.stages[1].handler = "merritt.process";
  stages.stages[2].handler = "merritt.notify";
  set_pipeline();
  auto& node = add("n1", true);
  EXPECT_EQ(slots(node), (expected_slots{{"p.first", 3}, {"p.middle", 4}}));
  node.has_work_folder = false;
  caf::anon_send(caf::actor_cast<caf::actor>(node.manager),
                 processors::refill_slots{});
  settle();
  EXPECT_EQ(slots(node), (expected_slots{{"p.first", 3}}));
  node.has_work_folder = true;
  caf::anon_send(caf::actor_cast<caf::actor>(node.manager),
                 processors::refill_slots{});
  settle();
  EXPECT_EQ(slots(node).at("p.middle"), 4u);
}

TEST_F(stage_nodes_test, without_the_folder_run_no_operators_processor_either) {
  stages.stages[1].handler = "merritt.process";
  set_pipeline();
  auto& node = add("n1", true);
  processor_spec spec;
  spec.name = "extra";
  spec.types = {"p.middle"};
  spec.slots = 2;
  ASSERT_TRUE(change({processor_changed{spec, false}}));
  settle();
  EXPECT_EQ(slots(node).at("p.middle"), 6u);
  node.has_work_folder = false;
  caf::anon_send(caf::actor_cast<caf::actor>(node.manager),
                 processors::refill_slots{});
  settle();
  EXPECT_FALSE(slots(node).contains("p.middle"));
}

TEST_F(stage_nodes_test, run_the_processors_that_name_them) {
  auto& engine = add("e1", false);
  auto& node = add("n1", true);
  processor_spec spec;
  spec.name = "extra";
  spec.types = {"p.middle"};
  spec.slots = 2;
  ASSERT_TRUE(change(
    {processor_changed{spec, false}, processor_placed{"extra", {"n1"}}}));
  settle();
  EXPECT_EQ(slots(engine).at("p.middle"), 4u);
  EXPECT_EQ(slots(node).at("p.middle"), 6u);
  ASSERT_TRUE(change({processor_placed{"extra", {"e1", "n2"}}}));
  settle();
  EXPECT_EQ(slots(engine).at("p.middle"), 6u);
  EXPECT_EQ(slots(node).at("p.middle"), 4u);
  ASSERT_TRUE(change({processor_placed{"extra", {}}}));
  settle();
  EXPECT_EQ(slots(node).at("p.middle"), 6u);
}

TEST_F(stage_nodes_test, run_the_stages_that_name_them) {
  stages.stages[0].nodes = {"n1"};
  stages.stages[1].nodes = {"e1"};
  set_pipeline();
  EXPECT_EQ(slots(add("n1", true)),
            (expected_slots{{"p.first", 3}, {"p.last", 4}}));
  EXPECT_FALSE(slots(add("e1", false)).contains("p.first"));
}

} // namespace depositd::testing
