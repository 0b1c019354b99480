// APTrust's ingest on the machine of jobs: what becomes of an item when a stage
// ends, and when an administrator wants something of it.

#include "actors/rules/work/decide.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace depositd::rules {
namespace {

/// As config/pipelines/aptrust.yaml has it.
std::shared_ptr<const pipeline> ingest() {
  pipeline out;
  out.name = "aptrust";
  const auto add = [&](const char* name, job_state state,
                       std::uint32_t attempts = 3) {
    stage_settings stage;
    stage.name = name;
    stage.state = state;
    stage.attempts_max = attempts;
    stage.retry_delay_ms = 60'000;
    stage.retry_delay_ms_max = 60'000;
    out.stages.push_back(stage);
  };
  add("ingest01_prefetch", job_state::pending);
  add("ingest02_bag_validation", job_state::processing);
  add("ingest03_reingest_check", job_state::processing);
  add("ingest04_staging", job_state::processing);
  add("ingest05_format_identification", job_state::processing);
  add("ingest06_storage", job_state::storing);
  add("ingest07_storage_validation", job_state::storing);
  add("ingest08_record", job_state::recording, 5);
  add("ingest09_cleanup", job_state::notify);
  return std::make_shared<const pipeline>(std::move(out));
}

/// One item, as its user's actor keeps it.
class aptrust_item : public ::testing::Test {
protected:
  job_at at() const {
    return {.id = 7,
            .batch = 3,
            .queue = queue,
            .priority = 50,
            .attempt = attempt,
            .status = status};
  }

  std::string queue_of(std::size_t number) const {
    return stage_queue_name(stages->name, stages->stages.at(number).name);
  }

  /// A worker has it, for the so-manieth time, and says this.
  caf::expected<job_step> ends(verdict says, const std::string& why = {}) {
    ++attempt;
    stage_ended x;
    x.job = at();
    x.what.says = says;
    x.what.reason = why;
    x.at_us = ++now;
    x.stages = stages;
    return keep(after_stage(x));
  }

  caf::expected<job_step> wants(work_action action, const std::string& stage) {
    job_wanted x;
    x.job = at();
    x.action = action;
    x.stage = stage;
    x.note = "by root";
    x.at_us = ++now;
    x.stages = stages;
    return keep(as_wanted(x));
  }

  /// Another item.
  void begin_again() {
    status = {.state = job_state::pending};
    queue = queue_of(0);
    attempt = 0;
  }

  /// Goes well until it waits for the stage.
  void come_to(const std::string& stage) {
    while (queue != "aptrust." + stage)
      ASSERT_TRUE(ends(verdict::done));
  }

  /// ... and fails there, as something that may pass.
  void fail_at(const std::string& stage) {
    come_to(stage);
    while (status.state != job_state::failed)
      ASSERT_TRUE(ends(verdict::retry, "no route to host"));
  }

  caf::expected<job_step> keep(caf::expected<job_step> x) {
    if (x) {
      status = x->move.status;
      queue = x->move.place.queue;
      attempt = x->move.place.attempt;
      parked = x->move.place.parked;
      available = x->move.place.available_us;
    }
    return x;
  }

  std::shared_ptr<const pipeline> stages = ingest();
  job_status status{.state = job_state::pending};
  std::string queue = "aptrust.ingest01_prefetch";
  std::uint32_t attempt = 0;
  bool parked = false;
  micros available = never;
  micros now = 1'000'000;
};

TEST_F(aptrust_item, row_p1_passes_nine_topics_in_their_order) {
  std::vector<std::string> seen;
  while (!queue.empty()) {
    seen.push_back(queue);
    ASSERT_TRUE(ends(verdict::done));
  }
  ASSERT_EQ(seen.size(), 9u);
  for (std::size_t i = 0; i < seen.size(); ++i)
    EXPECT_EQ(seen[i], queue_of(i));
  EXPECT_EQ(status.state, job_state::completed);
  EXPECT_FALSE(status.needs_review);
}

TEST_F(aptrust_item, row_p2_and_p3_what_has_ended_is_given_to_nobody) {
  for (const auto says : {verdict::failed, verdict::rejected}) {
    begin_again();
    come_to("ingest03_reingest_check");
    ASSERT_TRUE(ends(says, "cancelled: a newer version has come"));
    EXPECT_TRUE(parked);
  }
  begin_again();
  while (!queue.empty())
    ASSERT_TRUE(ends(verdict::done));
  EXPECT_EQ(status.state, job_state::completed) << "it is in no queue";
}

TEST_F(aptrust_item, row_p4_is_in_the_queue_of_its_own_stage_only) {
  for (std::size_t i = 0; i < stages->stages.size(); ++i) {
    ASSERT_EQ(queue, queue_of(i));
    EXPECT_EQ(status.state, stages->stages[i].state);
    ASSERT_TRUE(ends(verdict::done));
  }
}

TEST_F(aptrust_item, row_p14_waits_a_minute_twice_and_then_for_somebody) {
  come_to("ingest06_storage");
  for (std::uint32_t i = 1; i <= 2; ++i) {
    ASSERT_TRUE(ends(verdict::retry, "timeout " + std::to_string(i)));
    EXPECT_EQ(available, now + 60'000'000);
    EXPECT_FALSE(status.needs_review);
    EXPECT_EQ(queue, "aptrust.ingest06_storage");
  }
  ASSERT_TRUE(ends(verdict::retry, "timeout 3"));
  EXPECT_EQ(status.state, job_state::failed);
  EXPECT_TRUE(status.needs_review);
  EXPECT_TRUE(parked) << "nobody is given it";
  EXPECT_EQ(status.note, "gave up after 3 attempts: timeout 3");
  EXPECT_FALSE(status.submit_again) << "an administrator may requeue it";
}

TEST_F(aptrust_item, row_p15_goes_on_once_after_a_transient_error) {
  come_to("ingest05_format_identification");
  ASSERT_TRUE(ends(verdict::retry, "timeout"));
  const auto step = ends(verdict::done);
  ASSERT_TRUE(step);
  EXPECT_EQ(queue, "aptrust.ingest06_storage");
  EXPECT_EQ(attempt, 0u) << "the next stage has attempts of its own";
}

TEST_F(aptrust_item, row_p16_is_over_at_once_when_the_bag_is_not_valid) {
  come_to("ingest02_bag_validation");
  ASSERT_TRUE(ends(verdict::rejected, "the bag is not valid"));
  EXPECT_EQ(status.state, job_state::failed);
  EXPECT_TRUE(status.needs_review);
  EXPECT_TRUE(status.submit_again);
  EXPECT_TRUE(parked) << "no other stage runs";
  EXPECT_EQ(queue, "aptrust.ingest02_bag_validation");
}

TEST_F(aptrust_item, row_p17_stops_in_cleanup_too_with_the_review_flag) {
  come_to("ingest09_cleanup");
  for (int i = 0; i < 3; ++i)
    ASSERT_TRUE(ends(verdict::retry, "the bucket is away"));
  EXPECT_EQ(status.state, job_state::failed);
  EXPECT_TRUE(status.needs_review);
}

TEST_F(aptrust_item, row_p19_is_free_at_once_when_its_engine_died) {
  come_to("ingest04_staging");
  attempt = 1;
  const auto moved = after_death(stages.get(), at(), ++now);
  EXPECT_EQ(moved.place.queue, "aptrust.ingest04_staging");
  EXPECT_EQ(moved.place.available_us, never) << "without a delay";
  EXPECT_EQ(moved.place.attempt, 0u) << "it is not counted twice";
  EXPECT_FALSE(moved.place.parked);
}

TEST_F(aptrust_item, row_p21_is_saved_and_handed_on_in_one_event) {
  const auto step = ends(verdict::done);
  ASSERT_TRUE(step);
  // What it is then and where it goes are one move: no crash comes between.
  EXPECT_EQ(step->move.queue, "aptrust.ingest01_prefetch");
  EXPECT_EQ(step->move.place.queue, "aptrust.ingest02_bag_validation");
  EXPECT_EQ(step->move.status.state, job_state::processing);
}

TEST_F(aptrust_item, row_p7_waits_without_losing_attempts) {
  ASSERT_TRUE(ends(verdict::not_yet, "waits for an earlier version"));
  EXPECT_EQ(attempt, 0u);
  EXPECT_FALSE(parked);
  EXPECT_FALSE(status.needs_review);
}

TEST_F(aptrust_item, row_a9_is_requeued_to_six_stages_from_store) {
  std::vector<std::string> taken;
  for (std::size_t i = 0; i < stages->stages.size(); ++i) {
    begin_again();
    fail_at("ingest06_storage");
    const auto& name = stages->stages[i].name;
    if (wants(work_action::requeue, name))
      taken.push_back(name);
  }
  ASSERT_EQ(taken.size(), 6u);
  EXPECT_EQ(taken.front(), "ingest01_prefetch");
  EXPECT_EQ(taken.back(), "ingest06_storage");
}

TEST_F(aptrust_item, row_a9_goes_on_at_store_unless_told_otherwise) {
  fail_at("ingest06_storage");
  ASSERT_TRUE(wants(work_action::requeue, ""));
  EXPECT_EQ(queue, "aptrust.ingest06_storage");
}

TEST_F(aptrust_item, whose_stage_is_gone_is_requeued_where_it_is_told_only) {
  fail_at("ingest03_reingest_check");
  auto less = *stages;
  less.stages.erase(less.stages.begin() + 2);
  stages = std::make_shared<const pipeline>(less);
  const auto refused = wants(work_action::requeue, "");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error(), ec::invalid_argument);
  EXPECT_EQ(queue, "aptrust.ingest03_reingest_check") << "as it was";
  ASSERT_TRUE(wants(work_action::requeue, "ingest04_staging"));
  EXPECT_EQ(queue, "aptrust.ingest04_staging");
  EXPECT_FALSE(parked);
}

TEST_F(aptrust_item, row_a10_is_not_requeued_when_it_is_finished) {
  while (!queue.empty())
    ASSERT_TRUE(ends(verdict::done));
  EXPECT_EQ(wants(work_action::requeue, "ingest01_prefetch").error(),
            ec::invalid_argument);
  begin_again();
  come_to("ingest02_bag_validation");
  ASSERT_TRUE(ends(verdict::rejected, "cancelled: a newer version"));
  const auto refused = wants(work_action::requeue, "ingest01_prefetch");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error(), ec::invalid_argument);
}

TEST_F(aptrust_item, row_a11_is_not_requeued_to_a_later_stage) {
  fail_at("ingest02_bag_validation");
  for (const auto* later : {"ingest03_reingest_check", "ingest08_record"}) {
    const auto refused = wants(work_action::requeue, later);
    ASSERT_FALSE(refused) << later;
    EXPECT_EQ(refused.error(), ec::invalid_argument);
  }
  EXPECT_EQ(status.state, job_state::failed) << "nothing has changed";
}

/// Its jobs begin pending, as all do, and have come no further.
TEST_F(aptrust_item, of_a_pipeline_without_a_pending_stage_is_requeued) {
  auto shorter = *stages;
  shorter.stages.erase(shorter.stages.begin());
  stages = std::make_shared<const pipeline>(std::move(shorter));
  begin_again();
  for (const auto* to : {"", "ingest02_bag_validation"}) {
    fail_at("ingest02_bag_validation");
    const auto done = wants(work_action::requeue, to);
    ASSERT_TRUE(done) << render(done.error());
    EXPECT_EQ(status.state, job_state::pending);
    EXPECT_EQ(queue, "aptrust.ingest02_bag_validation");
    EXPECT_FALSE(parked);
  }
  ASSERT_TRUE(ends(verdict::done));
  EXPECT_EQ(queue, "aptrust.ingest03_reingest_check");
  EXPECT_EQ(status.state, job_state::processing);
}

TEST_F(aptrust_item, row_a12_begins_afresh_where_it_is_requeued_to) {
  fail_at("ingest07_storage_validation");
  ASSERT_TRUE(wants(work_action::requeue, "ingest03_reingest_check"));
  EXPECT_EQ(queue, "aptrust.ingest03_reingest_check");
  EXPECT_EQ(attempt, 0u) << "all attempts are there again";
  EXPECT_FALSE(status.needs_review);
  EXPECT_FALSE(parked);
  EXPECT_EQ(status.note, "by root");
  // It is one item: what was queued elsewhere does not exist any more.
  ASSERT_TRUE(ends(verdict::done));
  EXPECT_EQ(queue, "aptrust.ingest04_staging");
}

} // namespace
} // namespace depositd::rules
