// A stage that tidies up behind the end of a job.

#include "tests/actors/work/work_fixture.hpp"

namespace depositd {

namespace {

class tidying_test : public testing::work_fixture {
protected:
  void SetUp() override {
    stages.stages.push_back(stage("tidy", job_state::completed));
    work_fixture::SetUp();
  }

  /// A job that is completed and not yet tidied up after.
  item_id complete_a_job() {
    batch = submit_and_split(1);
    EXPECT_EQ(run("first") + run("middle") + run("last"), 3u);
    EXPECT_EQ(state_of(jobs()[0]), "completed");
    return jobs()[0];
  }

  void lose_the_stage() {
    stages.stages.pop_back();
    ASSERT_TRUE(change({pipeline_changed{stages, false}}));
  }

  item_id batch = 0;
};

/// The report may be done first, and the batch is over then.
TEST_F(tidying_test, ends_also_when_the_batch_is_over) {
  const auto job = complete_a_job();
  EXPECT_EQ(run("report"), 1u);
  EXPECT_EQ(state_of_batch(batch), "completed");
  const auto item = take("tidy");
  ASSERT_EQ(item.id, job);
  ASSERT_TRUE(says(item));
  EXPECT_EQ(last_of(job).place.queue, "");
  EXPECT_EQ(state_of(job), "completed");
  EXPECT_EQ(take("tidy").id, 0u) << "nobody does it again and again";
}

TEST_F(tidying_test, may_leave_a_document_when_the_batch_is_over) {
  const auto job = complete_a_job();
  EXPECT_EQ(run("report"), 1u);
  const auto item = take("tidy");
  auto what = outcome_of(item);
  what.document = item.body;
  ASSERT_TRUE(says(what));
  EXPECT_EQ(last_of(job).place.queue, "");
  EXPECT_EQ(state_of(job), "completed");
}

TEST_F(tidying_test, ends_when_the_batch_is_over_after_a_crash_too) {
  const auto job = complete_a_job();
  EXPECT_EQ(run("report"), 1u);
  crash_and_begin();
  ASSERT_TRUE(says(take("tidy")));
  EXPECT_EQ(last_of(job).place.queue, "");
}

TEST_F(tidying_test, is_tried_again_and_cannot_fail_the_job) {
  const auto job = complete_a_job();
  ASSERT_TRUE(says(take("tidy"), verdict::retry, "no route to host"));
  EXPECT_EQ(last_of(job).place.queue, "p.tidy");
  advance(std::chrono::hours{1});
  ASSERT_TRUE(says(take("tidy"), verdict::failed, "no such folder"));
  EXPECT_EQ(last_of(job).place.queue, "");
  EXPECT_EQ(state_of(job), "completed");
}

TEST_F(tidying_test, ends_by_an_order_where_its_stage_is_gone) {
  const auto job = complete_a_job();
  EXPECT_EQ(order(job, work_action::remove).error(), ec::invalid_argument);
  lose_the_stage();
  ASSERT_TRUE(order(job, work_action::remove));
  EXPECT_EQ(last_of(job).place.queue, "");
  EXPECT_EQ(state_of(job), "completed");
  EXPECT_EQ(run("report"), 1u);
}

TEST_F(tidying_test, ends_by_an_order_when_the_batch_is_over) {
  const auto job = complete_a_job();
  EXPECT_EQ(run("report"), 1u);
  lose_the_stage();
  ASSERT_TRUE(order(job, work_action::remove));
  EXPECT_EQ(last_of(job).place.queue, "");
  const auto gone = ask<batches_forgotten>(core, forget_batches{});
  ASSERT_TRUE(gone);
  EXPECT_EQ(gone->count, 1u);
}

/// What ends later would find no row of it, and the read model would stop.
TEST_F(tidying_test, is_over_before_the_batch_leaves_the_store) {
  complete_a_job();
  EXPECT_EQ(run("report"), 1u);
  auto gone = ask<batches_forgotten>(core, forget_batches{});
  ASSERT_TRUE(gone);
  EXPECT_EQ(gone->count, 0u);
  gone = ask<batches_forgotten>(core, forget_batches{batch, "ann", never});
  ASSERT_FALSE(gone);
  EXPECT_NE(render(gone.error()).find("try again"), std::string::npos);
  EXPECT_EQ(run("tidy"), 1u);
  gone = ask<batches_forgotten>(core, forget_batches{});
  ASSERT_TRUE(gone);
  EXPECT_EQ(gone->count, 1u);
  EXPECT_TRUE(batches_found().empty());
  EXPECT_TRUE(jobs_found().empty());
}

/// Nobody is told that the job is not there, and to ask again.
TEST_F(tidying_test, says_that_the_pipeline_is_gone) {
  const auto job = complete_a_job();
  ASSERT_TRUE(change({pipeline_changed{stages, true}}));
  for (const auto* to : {"", "first"}) {
    const auto said = order(job, work_action::requeue, to);
    ASSERT_FALSE(said);
    EXPECT_EQ(said.error(), ec::invalid_argument);
    EXPECT_EQ(render(said.error()), "the pipeline of job "
                                      + std::to_string(job)
                                      + " is not there any more");
  }
  EXPECT_EQ(order_whole(batch, work_action::hold).error(),
            ec::invalid_argument);
}

} // namespace

} // namespace depositd
