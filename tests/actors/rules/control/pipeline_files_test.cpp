// What files of pipelines change of what is set.

#include "actors/rules/control/control.hpp"
#include "actors/rules/control/pipelines.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace depositd {
namespace {

class pipeline_files : public ::testing::Test {
protected:
  void start_with(const std::vector<pipeline>& files) {
    for (const auto& x : rules::pipeline_changes(state, {files}))
      rules::apply(state, x);
  }

  control_state state;
};

pipeline with_stage(const std::string& name, std::uint32_t workers = 4) {
  stage_settings stage;
  stage.name = name;
  stage.workers = workers;
  return {"p", {stage}};
}

} // namespace

TEST_F(pipeline_files, bring_their_queues) {
  start_with({with_stage("a")});
  EXPECT_EQ(state.pipelines.at("p"), with_stage("a"));
  for (const auto* queue : {"p.batch", "p.a", "p.report"})
    EXPECT_EQ(state.queues.at(queue).kind, queue_kind::stage);
}

TEST_F(pipeline_files, leave_what_an_operator_has_set_unless_they_say_other) {
  start_with({with_stage("a")});
  rules::apply(state, pipeline_changed{with_stage("a", 7), false});
  start_with({with_stage("a")});
  EXPECT_EQ(state.pipelines.at("p"), with_stage("a", 7));
  start_with({with_stage("a", 5)});
  EXPECT_EQ(state.pipelines.at("p"), with_stage("a", 5));
  start_with({});
  EXPECT_EQ(state.pipelines.at("p"), with_stage("a", 5));
}

TEST_F(pipeline_files, are_not_taken_where_a_queue_was_there_before) {
  start_with({with_stage("a")});
  rules::apply(state, queue_changed{"p.b", queue_settings{}});
  start_with({with_stage("b")});
  EXPECT_EQ(state.pipelines.at("p"), with_stage("a"))
    << "nobody could work on what would come into p.b";
  rules::apply(state, queue_retired{"p.b", {}});
  start_with({with_stage("b")});
  EXPECT_EQ(state.pipelines.at("p"), with_stage("b")) << "it can work by now";
}

TEST_F(pipeline_files, of_new_pipelines_are_not_taken_then_either) {
  rules::apply(state, queue_changed{"p.batch", queue_settings{}});
  start_with({with_stage("a")});
  EXPECT_FALSE(state.pipelines.contains("p"));
  EXPECT_FALSE(state.queues.contains("p.a"));
}

} // namespace depositd
