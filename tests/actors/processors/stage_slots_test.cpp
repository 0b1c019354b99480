#include "actors/processors/manager.hpp"
#include "actors/rules/control/pipelines.hpp"
#include "messages/message.hpp"
#include "tests/actors/work/work_fixture.hpp"

#include <caf/stateful_actor.hpp>
#include <caf/typed_response_promise.hpp>

#include <algorithm>
#include <map>

namespace depositd::testing {

namespace {

/// Answers when the test tells it what.
using told_handler = handler_actor::extend<caf::reacts_to<outcome>>;

/// What handlers of the test's slots were asked.
struct handed {
  std::vector<std::string> queues; ///< that handlers were spawned for
  std::vector<handle_item> items;
  std::vector<told_handler> whom; ///< by item
};

struct told_state {
  std::map<item_id, caf::typed_response_promise<outcome>> open;
};

told_handler::behavior_type
silent_handler(told_handler::stateful_pointer<told_state> self,
               std::shared_ptr<handed> to) {
  return {
    [=](handle_item& x) -> caf::result<outcome> {
      auto promise = self->make_response_promise<outcome>();
      self->state.open[x.item.id] = promise;
      to->items.push_back(std::move(x));
      to->whom.push_back(self);
      return promise;
    },
    [=](const outcome& x) { self->state.open[x.id].deliver(x); },
  };
}

class stage_slots_test : public work_fixture {
protected:
  void manage(bool with_stages = true) {
    processors::processor_manager_options options;
    options.shard = core;
    options.called = "n1";
    options.spawn_handler = [this] {
      return sys.spawn(silent_handler, deposits);
    };
    if (with_stages)
      options.spawn_stage_handler = [this](const std::string& queue) {
        given->queues.push_back(queue);
        return sys.spawn(silent_handler, given);
      };
    if (threads_are_known)
      options.stage_begun = [this](item_id id) {
        const auto at = begun.find(id);
        return at == begun.end() ? never : at->second;
      };
    manager = spawn(processors::processor_manager, options);
    settle();
  }

  /// "SLOT: ITEM since TIME" of a queue's slots, the item by its place in what
  /// was handed out; "SLOT" of those that are idle.
  std::vector<std::string> rows_of(const std::string& queue) {
    std::vector<std::string> out;
    auto report = ask<slots_report>(manager, report_slots{});
    EXPECT_TRUE(report);
    for (const auto& x : report->entries)
      if (x.queue == queue) {
        auto& row = out.emplace_back(std::to_string(x.slot));
        for (std::size_t i = 0; i < given->items.size(); ++i)
          if (given->items[i].item.id == x.item && x.item != 0)
            row += ": " + std::to_string(i) + " since "
                   + std::to_string(x.since_us);
      }
    std::sort(out.begin(), out.end());
    return out;
  }

  /// Slots by queue.
  std::map<std::string, std::size_t> slots() {
    std::map<std::string, std::size_t> out;
    auto report = ask<slots_report>(manager, report_slots{});
    EXPECT_TRUE(report);
    for (const auto& x : report->entries)
      ++out[x.queue];
    return out;
  }

  void set_pipeline() {
    auto known = ask<control_changed>(core, watch_control{nullptr});
    ASSERT_TRUE(known);
    ASSERT_TRUE(change(rules::with_queues(*known->state, {stages, false})));
    settle();
  }

  void answer(std::size_t i, const std::string& document = {}) {
    const auto& item = given->items.at(i).item;
    auto what = outcome_of(item);
    what.document = document;
    caf::anon_send(given->whom.at(i), std::move(what));
    settle();
  }

  std::shared_ptr<handed> given = std::make_shared<handed>();
  std::shared_ptr<handed> deposits = std::make_shared<handed>();
  bool threads_are_known = false;
  std::map<item_id, micros> begun; ///< what a thread works on
  processor_manager_actor manager;
};

using expected_slots = std::map<std::string, std::size_t>;

} // namespace

TEST_F(stage_slots_test, are_there_for_every_stage_and_for_batches) {
  stages.stages[1].workers = 3;
  stages.stages[1].workers_per_node = 1;
  set_pipeline();
  manage();
  EXPECT_EQ(slots(), (expected_slots{{"p.batch", 2},
                                     {"p.report", 2},
                                     {"p.first", 4},
                                     {"p.middle", 1},
                                     {"p.last", 4}}));
}

TEST_F(stage_slots_test, follow_what_operators_set) {
  manage();
  stages.stages[0].workers = 1;
  stages.stages[1].workers = 6;
  stages.stages[2].workers = 0;
  set_pipeline();
  const auto now = slots();
  EXPECT_EQ(now.at("p.first"), 1u);
  EXPECT_EQ(now.at("p.middle"), 6u);
  EXPECT_FALSE(now.contains("p.last"));
}

TEST_F(stage_slots_test, are_none_for_outside_workers_and_other_nodes) {
  stages.stages[0].kind = handler_kind::external;
  stages.stages[1].nodes = {"n2"};
  stages.stages[2].nodes = {"n2", "n1"};
  set_pipeline();
  manage();
  EXPECT_EQ(slots(), (expected_slots{
                       {"p.batch", 2}, {"p.report", 2}, {"p.last", 4}}));
}

TEST_F(stage_slots_test, are_none_where_no_stages_run) {
  processor_spec spec;
  spec.name = "bold";
  spec.types = {"p.first"};
  ASSERT_TRUE(change({processor_changed{spec, false}}));
  manage(false);
  EXPECT_TRUE(slots().empty());
}

TEST_F(stage_slots_test, of_an_operators_processor_have_stages_handlers_too) {
  manage();
  given->queues.clear();
  processor_spec spec;
  spec.name = "extra";
  spec.types = {"p.first"};
  spec.slots = 2;
  ASSERT_TRUE(change({processor_changed{spec, false}}));
  settle();
  EXPECT_EQ(given->queues,
            (std::vector<std::string>{"p.first", "p.first"}));
  EXPECT_EQ(slots().at("p.first"), 6u);
}

TEST_F(stage_slots_test, hand_a_job_through_its_stages) {
  manage();
  const auto batch = submit(1);
  settle();
  ASSERT_EQ(given->items.size(), 1u);
  EXPECT_EQ(given->items[0].queue, "p.batch");
  answer(0, split(given->items[0].item).document);
  for (std::size_t i = 1; i <= 3; ++i) {
    ASSERT_EQ(given->items.size(), i + 1);
    EXPECT_EQ(given->items[i].queue, "p." + stages.stages[i - 1].name);
    answer(i);
  }
  ASSERT_EQ(given->items.size(), 5u);
  EXPECT_EQ(given->items[4].queue, "p.report");
  answer(4);
  EXPECT_EQ(state_of_batch(batch), "completed");
  EXPECT_TRUE(deposits->items.empty());
}

TEST_F(stage_slots_test, fetch_ahead_as_many_as_the_buffer_says) {
  for (auto& stage : stages.stages)
    stage.workers = 1;
  stages.stages[0].buffer = 2;
  set_pipeline();
  manage();
  submit(10);
  settle();
  answer(0, split(given->items.at(0).item).document);
  // One in work and two behind it; the others wait in the queue.
  EXPECT_EQ(given->items.size(), 1u + 3u);
  stages.stages[0].buffer = 4; // what is held stays where it is
  set_pipeline();
  EXPECT_EQ(given->items.size(), 1u + 3u + 5u);
}

TEST_F(stage_slots_test, P35_tell_only_what_has_begun) {
  for (auto& stage : stages.stages)
    stage.workers = 1;
  stages.stages[0].workers = 2;
  stages.stages[0].buffer = 2;
  set_pipeline();
  threads_are_known = true;
  manage();
  submit(10);
  settle();
  answer(0, split(given->items.at(0).item).document);
  ASSERT_EQ(given->items.size(), 1u + 6u) << "two slots have three each";
  using rows = std::vector<std::string>;
  EXPECT_EQ(rows_of("p.first"), (rows{"1", "2"}));
  // Both threads have items of one slot.
  std::vector<std::size_t> of_one;
  for (std::size_t i = 1; i < given->items.size(); ++i)
    if (given->whom[i] == given->whom[1])
      of_one.push_back(i);
  ASSERT_EQ(of_one.size(), 3u);
  begun = {{given->items[of_one[1]].item.id, 5},
           {given->items[of_one[2]].item.id, 7}};
  rows now = rows_of("p.first");
  ASSERT_EQ(now.size(), 2u);
  EXPECT_TRUE(now[0].starts_with("1: ") && now[1].starts_with("2: "));
  for (auto& row : now)
    row.erase(0, 3);
  std::sort(now.begin(), now.end());
  EXPECT_EQ(now, (rows{std::to_string(of_one[1]) + " since 5",
                       std::to_string(of_one[2]) + " since 7"}));
}

// -- pipelines of the configuration -------------------------------------------

TEST_F(stage_slots_test, come_with_the_pipelines_of_the_configuration) {
  crash();
  auto file = stages;
  file.name = "q";
  pipelines.pipelines = {file};
  begin();
  manage();
  EXPECT_EQ(slots().at("q.first"), 4u);
  EXPECT_EQ(report_of("q.batch").settings.kind, queue_kind::stage);
}

TEST_F(stage_slots_test, stay_as_operators_set_them_while_the_file_stays) {
  crash();
  pipelines.pipelines = {stages};
  begin();
  auto file = stages;
  stages.stages[0].workers = 7;
  set_pipeline();
  crash_and_begin();
  manage();
  EXPECT_EQ(slots().at("p.first"), 7u);
  crash();
  file.stages[0].workers = 2;
  pipelines.pipelines = {file};
  begin();
  manage();
  EXPECT_EQ(slots().at("p.first"), 2u);
}

} // namespace depositd::testing
