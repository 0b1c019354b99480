#include "actors/rules/lifecycle/outcomes.hpp"

#include <gtest/gtest.h>

namespace depositd::rules {

namespace {

stage_settings a_stage() {
  stage_settings out;
  out.name = "download";
  out.attempts_max = 3;
  out.retry_delay_ms = 100;
  out.retry_delay_ms_max = 150;
  out.not_yet_delay_ms = 70;
  return out;
}

job_status in(job_state state) {
  return {.state = state, .changed_us = 5};
}

} // namespace

TEST(stage_outcomes, done_and_skip_lead_on) {
  for (const auto says : {stage_verdict::done, stage_verdict::skip})
    EXPECT_EQ(after(a_stage(), 3, {.says = says, .note = "forgotten"}),
              (next_move{.step = next_step::advance}));
}

TEST(stage_outcomes, transient_tries_again_after_growing_delays) {
  const stage_outcome x{.says = stage_verdict::transient, .note = "no route"};
  EXPECT_EQ(
    after(a_stage(), 1, x),
    (next_move{.step = next_step::again, .delay_ms = 100, .note = "no route"}));
  EXPECT_EQ(after(a_stage(), 2, x).delay_ms, 150u);
  auto own = x;
  own.delay_ms = 9'000;
  EXPECT_EQ(after(a_stage(), 1, own).delay_ms, 9'000u);
}

TEST(stage_outcomes, transient_fails_when_the_attempts_run_out) {
  const stage_outcome x{.says = stage_verdict::transient, .note = "no route"};
  const auto out = after(a_stage(), 3, x);
  EXPECT_EQ(out.step, next_step::fail);
  EXPECT_TRUE(out.needs_review);
  EXPECT_FALSE(out.submit_again) << "a requeue may help";
  EXPECT_EQ(out.note, "gave up after 3 attempts: no route");
  auto once = a_stage();
  once.attempts_max = 1;
  EXPECT_EQ(after(once, 1, {.says = stage_verdict::transient}).note,
            "gave up after 1 attempt");
}

TEST(stage_outcomes, fatal_fails_at_once) {
  const auto out = after(a_stage(), 1,
                         {.says = stage_verdict::fatal,
                          .submit_again = true,
                          .note = "line 3: no such date"});
  EXPECT_EQ(out, (next_move{.step = next_step::fail,
                            .needs_review = true,
                            .submit_again = true,
                            .note = "line 3: no such date"}));
  EXPECT_FALSE(
    after(a_stage(), 1, {.says = stage_verdict::fatal}).note.empty());
}

TEST(stage_outcomes, not_yet_costs_no_attempt_however_often) {
  for (const std::uint32_t attempt : {1u, 3u, 400u}) {
    const auto out =
      after(a_stage(), attempt, {.says = stage_verdict::not_yet});
    EXPECT_EQ(out.step, next_step::again);
    EXPECT_EQ(out.delay_ms, 70u);
    EXPECT_FALSE(out.costs_attempt);
    EXPECT_FALSE(out.needs_review);
  }
}

TEST(stage_moves, lead_to_the_next_state) {
  const auto x = after(in(job_state::estimating), next_move{},
                       {job_state::estimating, job_state::provisioning, 9, ""});
  ASSERT_TRUE(x);
  EXPECT_EQ(x->state, job_state::provisioning);
  EXPECT_EQ(x->last_successful, job_state::estimating);
}

TEST(stage_moves, S09_leave_the_last_success_when_a_stage_fails) {
  auto now = in(job_state::downloading);
  now.last_successful = job_state::provisioning;
  const next_move fails{.step = next_step::fail,
                        .needs_review = true,
                        .submit_again = true,
                        .note = "gone"};
  const auto x =
    after(now, fails, {job_state::downloading, job_state::processing, 9, ""});
  ASSERT_TRUE(x);
  EXPECT_EQ(x->state, job_state::failed);
  EXPECT_EQ(x->last_successful, job_state::provisioning);
  EXPECT_TRUE(x->needs_review);
  EXPECT_TRUE(x->submit_again);
  EXPECT_EQ(x->note, "gone");
}

TEST(stage_moves, say_why_a_job_waits_that_tries_again) {
  const next_move again{.step = next_step::again, .note = "busy"};
  const job_move to{job_state::storing, job_state::recording, 9, ""};
  const auto x = after(in(job_state::storing), again, to);
  ASSERT_TRUE(x);
  EXPECT_EQ(x->state, job_state::storing);
  EXPECT_EQ(x->note, "busy");
  EXPECT_EQ(after(in(job_state::failed), again, to).error(), ec::stale_claim);
}

TEST(stage_moves, between_stages_of_one_state_move_nothing) {
  const job_move to{job_state::processing, job_state::processing, 9, ""};
  const auto x = after(in(job_state::processing), next_move{}, to);
  ASSERT_TRUE(x);
  auto later = in(job_state::processing);
  later.changed_us = 9;
  EXPECT_EQ(*x, later) << "the next stage has begun";
  EXPECT_EQ(after(in(job_state::failed), next_move{}, to).error(),
            ec::stale_claim);
}

TEST(stage_moves, after_the_end_leave_its_time) {
  const job_move to{job_state::completed, job_state::completed, 9, ""};
  const auto x = after(in(job_state::completed), next_move{}, to);
  ASSERT_TRUE(x);
  EXPECT_EQ(*x, in(job_state::completed));
}

TEST(engine_deaths, cost_an_attempt_from_the_third_on) {
  EXPECT_FALSE(death_costs_attempt(1));
  EXPECT_FALSE(death_costs_attempt(2));
  EXPECT_TRUE(death_costs_attempt(3));
  EXPECT_TRUE(death_costs_attempt(4));
}

} // namespace depositd::rules
