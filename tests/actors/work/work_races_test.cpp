// Two things at once: the second comes after every number of messages that the
// first sets off.

#include "tests/actors/work/work_fixture.hpp"

namespace depositd {

namespace {

class work_races : public testing::work_fixture,
                   public ::testing::WithParamInterface<unsigned> {
protected:
  /// The outcome, and so many messages of what comes of it.
  void begin_to_say(const std::string& stage, const outcome& what) {
    auto worker = attach_to("p." + stage);
    caf::anon_send(worker.door, settle_and_request{worker.number, 0, {what}});
    settle(GetParam());
  }

  template <class Order>
  void begin_to_order(const Order& what) {
    caf::anon_send(core, what);
    settle(GetParam());
  }
};

TEST_P(work_races, H04_jobs_made_while_a_hold_comes_are_held) {
  submit(2);
  begin_to_say("batch", split(take("batch")));
  hold(true);
  settle();
  ASSERT_EQ(jobs().size(), 2u);
  for (const auto id : jobs())
    EXPECT_EQ(state_of(id), "held");
  EXPECT_EQ(take("first").id, 0u);
}

TEST_P(work_races, H04_a_job_requeued_while_a_hold_comes_does_not_run) {
  submit_and_split(1);
  ASSERT_TRUE(says(take("first"), verdict::failed, "bad"));
  begin_to_order(order_job{jobs()[0], "ann", work_action::requeue, "", ""});
  hold(true);
  settle();
  EXPECT_NE(state_of(jobs()[0]), "pending");
  EXPECT_EQ(take("first").id, 0u);
}

TEST_P(work_races, H01_a_job_that_is_handed_out_is_not_held) {
  submit_and_split(1);
  const auto id = jobs()[0];
  auto worker = attach_to("p.first");
  begin_to_order(order_job{id, "ann", work_action::hold, "", ""});
  caf::anon_send(worker.door, settle_and_request{worker.number, 1, {}});
  settle();
  if (worker.got->items.empty()) {
    EXPECT_EQ(state_of(id), "held");
    return;
  }
  EXPECT_EQ(state_of(id), "pending");
  const auto done = outcome_of(worker.got->items.front());
  caf::anon_send(worker.door, settle_and_request{worker.number, 0, {done}});
  settle();
  EXPECT_EQ(state_of(id), "processing");
}

TEST_P(work_races, a_job_fails_once_for_two_who_want_it) {
  submit_and_split(1);
  const auto id = jobs()[0];
  const order_job fail{id, "ann", work_action::fail, "", ""};
  begin_to_order(fail);
  caf::anon_send(core, fail);
  settle();
  EXPECT_EQ(state_of(id), "failed");
  std::size_t moves = 0;
  for (const auto& x : all<job_moved>())
    moves += x.id == id ? 1 : 0;
  EXPECT_EQ(moves, 1u);
}

TEST_P(work_races, a_batch_is_not_deleted_with_a_job_that_was_requeued) {
  slice_items = 1;
  crash_and_begin();
  const auto batch = submit_and_split(3);
  run("first", verdict::failed);
  ASSERT_EQ(run("report"), 1u);
  begin_to_order(order_batch{batch, "ann", work_action::remove, ""});
  caf::anon_send(core,
                 order_job{jobs()[2], "ann", work_action::requeue, "", ""});
  settle();
  if (state_of_batch(batch) == "deleted") {
    EXPECT_EQ(last_of_batch(batch).jobs.deleted, 3u);
    EXPECT_EQ(state_of(jobs()[2]), "deleted");
  } else {
    EXPECT_EQ(state_of(jobs()[2]), "pending");
    EXPECT_EQ(run("first") + run("middle") + run("last"), 3u);
  }
}

INSTANTIATE_TEST_SUITE_P(messages, work_races, ::testing::Range(0u, 40u));

/// Stages may share a state.
class shared_states : public testing::work_fixture {
protected:
  shared_states() {
    stages = {"p",
              {stage("first", job_state::pending),
               stage("fetch", job_state::downloading),
               stage("check", job_state::downloading)}};
  }
};

TEST_F(shared_states, J24_a_requeue_skips_no_stage_of_the_same_state) {
  submit_and_split(1);
  EXPECT_EQ(run("first"), 1u);
  ASSERT_TRUE(says(take("fetch"), verdict::failed, "gone"));
  const auto job = jobs()[0];
  const auto refused = order(job, work_action::requeue, "check");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error(), ec::invalid_argument);
  EXPECT_NE(render(refused.error()).find("fetch"), std::string::npos);
  EXPECT_EQ(state_of(job), "failed");
  ASSERT_TRUE(order(job, work_action::requeue, "fetch"));
  EXPECT_EQ(run("fetch") + run("check"), 2u);
  EXPECT_EQ(state_of(job), "completed");
}

} // namespace

} // namespace depositd
