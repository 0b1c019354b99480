// Why jobs do not go on, and how long they have waited.

#include "tests/actors/operators/admin_jobs_fixture.hpp"

namespace depositd::testing {
namespace {

class admin_job_why_test : public admin_jobs_fixture {
protected:
  void add_waiting(const std::string& queue,
                   job_state state = job_state::downloading) {
    add_job(7, state).queue = queue;
    world_.explained.live = true;
    world_.explained.user = "ann";
    world_.explained.queue = queue;
  }
};

// -- why ----------------------------------------------------------------------

TEST_F(admin_job_why_test, tells_of_a_job_that_is_in_no_queue) {
  auto& row = add_job(7, job_state::failed);
  row.status.note = "no such file";
  row.status.needs_review = true;
  row.status.last_successful = job_state::provisioning;
  const auto x = run("job why", {{"id", "jid-7"}});
  EXPECT_EQ(x["reason"], "failed");
  EXPECT_EQ(x["reasons"][1]["text"], "job requeue 7 goes on with downloading");
  EXPECT_EQ(x["reasons"][2]["reason"], "needs_review");
  EXPECT_EQ(run("submission why", {{"id", 7}})["reason"], "failed");
}

TEST_F(admin_job_why_test, tells_of_holds_pauses_and_slots) {
  auto& row = add_job(7, job_state::held);
  world_.control.collections["c1"].held = true;
  EXPECT_EQ(run("job why", {{"id", "7"}})["reason"], "collection_held");
  world_.control.collections["c1"].held = false;
  EXPECT_EQ(run("job why", {{"id", "7"}})["reason"], "job_held");
  row.status.state = job_state::downloading;
  row.queue = "merritt.download";
  world_.control.queues[row.queue].suspended = true;
  world_.explained.live = true;
  world_.explained.user = "ann";
  world_.explained.queue = row.queue;
  world_.explained.member.suspended = true;
  auto x = run("job why", {{"id", "7"}});
  EXPECT_EQ(x["reason"], "stage_paused");
  EXPECT_EQ(x["reasons"][1]["reason"], "no_processor");
  world_.control.queues[row.queue].suspended = false;
  queue_report report;
  report.name = world_.explained.queue;
  report.in_flight = 4;
  world_.queues.queues.push_back(report);
  EXPECT_EQ(run("job why", {{"id", "7"}})["reason"], "no_slot");
  world_.explained.live = false;
  world_.queues.queues.back().in_flight = 0;
  EXPECT_EQ(run("job why", {{"id", "7"}})["reason"], "moving");
}

TEST_F(admin_job_why_test, tells_that_the_stage_is_gone) {
  add_waiting("merritt.weigh");
  const auto x = run("job why", {{"id", "7"}});
  EXPECT_EQ(x["reason"], "stage_gone");
  EXPECT_NE(x["text"].get<std::string>().find("has no stage weigh any more"),
            std::string::npos);
}

TEST_F(admin_job_why_test, tells_what_ends_a_completed_job_without_its_stage) {
  add_waiting("merritt.weigh", job_state::completed);
  const auto x = run("job why", {{"id", "7"}});
  EXPECT_EQ(x["reason"], "stage_gone");
  EXPECT_NE(x["text"].get<std::string>().find("job delete"), std::string::npos);
  EXPECT_EQ(x["reasons"][1]["reason"], "finished");
}

TEST_F(admin_job_why_test, tells_that_nobody_here_may_run_the_stage) {
  add_waiting("merritt.download");
  auto merritt = world_.control.pipelines.at("merritt");
  for (auto& stage : merritt.stages)
    if (stage.name == "download")
      stage.nodes = {"n8", "n9"};
  world_.control.pipelines["merritt"] = merritt;
  const auto x = run("job why", {{"id", "7"}});
  EXPECT_EQ(x["reason"], "no_processor_on_node");
  EXPECT_NE(x["text"].get<std::string>().find("n8, n9"), std::string::npos);
  queue_report report;
  report.name = world_.explained.queue;
  world_.queues.queues = {report};
  const auto reasons = [&] {
    std::vector<std::string> out;
    const auto shown = run("pipeline show", {{"name", "merritt"}});
    for (const auto& stage : shown["stages"])
      if (stage["reason"].is_string())
        out.push_back(stage["name"]);
    return out;
  };
  EXPECT_EQ(reasons(), std::vector<std::string>{"download"});
  world_.queues.queues[0].processors = 2;
  EXPECT_TRUE(reasons().empty());
}

TEST_F(admin_job_why_test, ages_of_a_stage_are_not_hidden_by_others) {
  set_stages({"merritt.download", "merritt.store", "other.download"});
  for (item_id id = 1; id <= 10'000; ++id)
    add_job(id, job_state::downloading).queue =
      id % 2 == 0 ? "other.download" : "merritt.download";
  auto& last = add_job(10'001, job_state::storing);
  last.queue = "merritt.store";
  last.status.changed_us = 1'000'000;
  const auto x = run("pipeline ages", {{"name", "merritt"}});
  ASSERT_EQ(x["stages"].size(), 2u);
  EXPECT_EQ(x["stages"][0]["jobs"], 5'000);
  EXPECT_EQ(x["stages"][0]["more"], false);
  EXPECT_EQ(x["stages"][1]["oldest"], 10'001);
  ASSERT_EQ(work().job_queries.size(), 2u) << "one for each stage";
  EXPECT_EQ(work().job_queries[1].queues,
            std::vector<std::string>{"merritt.store"});
  refusal("pipeline ages", {{"name", "none"}}, ec::not_found);
}

TEST_F(admin_job_why_test, ages_tell_the_oldest_of_each_stage) {
  set_stages({"merritt.download", "merritt.estimate"});
  const auto in_stage = [&](item_id id, const char* stage, micros since) {
    auto& row = add_job(id, job_state::downloading);
    row.queue = std::string{"merritt."} + stage;
    row.status.changed_us = since;
  };
  in_stage(7, "download", 2'000'000);
  in_stage(8, "download", 1'000'000);
  in_stage(9, "estimate", 1'772'357'399'000'000);
  slots_report::entry slot;
  slot.node = "n2";
  slot.queue = "merritt.download";
  slot.item = 7;
  slot.user = "ann";
  slot.since_us = 3'000'000;
  world_.slots.entries = {slot};
  auto x = run("pipeline ages", {{"name", "merritt"}});
  ASSERT_EQ(x["stages"].size(), 2u);
  const auto& download = x["stages"][0];
  EXPECT_EQ(download["queue"], "merritt.download");
  EXPECT_EQ(download["jobs"], 2);
  EXPECT_EQ(download["oldest"], 8);
  EXPECT_EQ(download["worked_on"], 7);
  EXPECT_EQ(download["node"], "n2");
  EXPECT_TRUE(x["stages"][1]["worked_on"].is_null());
  x = run("pipeline ages", {{"name", "merritt"}, {"older_than", 3'600}});
  EXPECT_EQ(x["stages"].size(), 1u);
}

} // namespace
} // namespace depositd::testing
