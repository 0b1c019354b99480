// Names of tests begin with the rows of the case table that they stand for.

#include "actors/rules/lifecycle/jobs.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>

namespace depositd::rules {

namespace {

using enum job_state;

job_status in(job_state state, job_state last = none) {
  return {.state = state, .last_successful = last, .changed_us = 5};
}

/// Moves along all states, each of which must be legal.
job_status walk(job_status x, std::initializer_list<job_state> states) {
  for (const auto to : states) {
    auto next = moved(x, {x.state, to, x.changed_us + 1, ""});
    EXPECT_TRUE(next) << render(next.error());
    if (next)
      x = *next;
  }
  return x;
}

constexpr std::array all_stages = {pending,     estimating, provisioning,
                                   downloading, processing, storing,
                                   recording,   notify};

} // namespace

TEST(job_moves, J01_begin_pending_with_nothing_done) {
  const auto x = moved({}, {none, pending, 7, ""});
  ASSERT_TRUE(x);
  EXPECT_EQ(*x, (job_status{.state = pending, .changed_us = 7}));
  EXPECT_EQ(group_of(x->state), job_group::open);
  EXPECT_EQ(moved({}, {none, completed, 7, ""}).error(), ec::invalid_argument);
}

TEST(job_moves, J02_write_what_was_done_last) {
  const auto x = walk(in(pending), {estimating});
  EXPECT_EQ(x.last_successful, pending);
  EXPECT_EQ(x.changed_us, 6);
}

TEST(job_moves, J06_walk_the_happy_path) {
  const auto x =
    walk(in(pending), {estimating, provisioning, downloading, processing,
                       storing, recording, notify, completed});
  EXPECT_EQ(x.last_successful, notify);
  EXPECT_EQ(x.retry_count, 0u);
  EXPECT_EQ(group_of(x.state), job_group::completed);
}

TEST(job_moves, J17_are_refused_off_the_table_and_name_the_state) {
  for (const auto& [from, from_word] : words_of<job_state>)
    for (const auto& [to, to_word] : words_of<job_state>) {
      const auto now = in(from, recording);
      const auto x = moved(now, {from, to, 9, "note"});
      EXPECT_EQ(static_cast<bool>(x), may_move(from, to))
        << from_word << " -> " << to_word;
      if (x)
        continue;
      EXPECT_EQ(x.error(), ec::invalid_argument);
      EXPECT_NE(render(x.error()).find(from_word), std::string::npos);
    }
}

TEST(job_moves, J18_have_a_target) {
  EXPECT_EQ(moved(in(pending), {pending, none, 9, ""}).error(),
            ec::invalid_argument);
}

TEST(job_moves, J20_name_both_ends_so_a_repeat_changes_nothing) {
  const job_move success{storing, recording, 9, ""};
  const auto once = moved(in(storing), success);
  ASSERT_TRUE(once);
  const auto twice = moved(*once, success);
  EXPECT_EQ(twice.error(), ec::stale_claim);
  EXPECT_NE(render(twice.error()).find("the job is recording, not storing"),
            std::string::npos);
}

TEST(job_moves, R04_keep_what_was_done_when_it_fails_and_is_deleted) {
  const auto x = walk(in(notify, recording), {failed, deleted});
  EXPECT_EQ(x.last_successful, recording);
  EXPECT_EQ(x.retry_count, 0u);
}

TEST(job_requeue, J14_J23_resumes_behind_the_last_success_for_every_stage) {
  for (const auto stage : all_stages) {
    auto x = in(pending);
    for (const auto to : all_stages) {
      if (to != pending)
        x = walk(x, {to});
      if (to == stage)
        break;
    }
    const auto before = x.last_successful;
    x = walk(x, {failed});
    EXPECT_EQ(resumes_at(x), stage) << word(stage);
    const auto out = decide(x, {.action = work_action::requeue, .at_us = 90});
    ASSERT_TRUE(out) << render(out.error());
    EXPECT_EQ(out->status.state, stage);
    EXPECT_EQ(out->status.last_successful, before) << "H07, J23";
    EXPECT_EQ(out->status.retry_count, 1u);
    EXPECT_EQ(out->status.changed_us, 90);
  }
}

TEST(job_requeue, goes_to_an_earlier_stage_that_is_named_and_no_later_one) {
  const auto x = in(failed, downloading);
  for (const auto to : all_stages) {
    const auto out = decide(x, {.action = work_action::requeue, .to = to});
    EXPECT_EQ(static_cast<bool>(out), to <= processing) << word(to);
    if (out) {
      EXPECT_EQ(out->status.state, to);
    }
  }
  const auto back =
    decide(x, {.action = work_action::requeue, .to = estimating});
  EXPECT_EQ(back->status.last_successful, pending)
    << "the stage before the named one";
  const auto first = decide(x, {.action = work_action::requeue, .to = pending});
  EXPECT_EQ(first->status.last_successful, none);
  for (const auto to : {completed, held, deleted, failed})
    EXPECT_FALSE(decide(x, {.action = work_action::requeue, .to = to}));
}

TEST(job_requeue, J24_helps_what_was_held_before_it_failed) {
  const auto x = walk(in(pending), {held, pending, failed});
  EXPECT_EQ(x.last_successful, none);
  EXPECT_EQ(decide(x, {.action = work_action::requeue})->status.state, pending);
}

TEST(job_requeue, is_refused_when_only_a_new_submission_helps) {
  auto x = in(failed, pending);
  x.submit_again = true;
  x.note = "line 4: no such algorithm";
  const auto out = decide(x, {.action = work_action::requeue});
  EXPECT_EQ(out.error(), ec::invalid_argument);
  EXPECT_EQ(render(out.error()), "requeueing cannot help, submit again: line "
                                 "4: no such algorithm");
}

TEST(job_requeue, takes_it_out_of_review) {
  auto x = in(failed, pending);
  x.needs_review = true;
  EXPECT_FALSE(
    decide(x, {.action = work_action::requeue})->status.needs_review);
}

TEST(job_removal, takes_it_out_of_review) {
  auto x = in(failed, pending);
  x.needs_review = true;
  const auto out = decide(x, {.action = work_action::remove});
  ASSERT_TRUE(out);
  EXPECT_EQ(out->status.state, deleted);
  EXPECT_FALSE(out->status.needs_review);
}

TEST(job_actions, H09_are_possible_only_where_the_table_says) {
  using states = std::set<job_state>;
  const std::map<work_action, states> allowed = {
    {work_action::hold, {pending}},
    {work_action::release, {held}},
    {work_action::requeue, {failed}},
    {work_action::fail, {all_stages.begin(), all_stages.end()}},
    {work_action::remove, {held, failed, completed, deleted}},
    {work_action::update_report, {}},
  };
  for (const auto& [action, where] : allowed)
    for (const auto& [state, text] : words_of<job_state>) {
      const auto now = in(state, pending);
      const auto out = decide(now, {.action = action, .at_us = 9});
      EXPECT_EQ(static_cast<bool>(out), where.count(state) == 1)
        << word(action) << " of " << text;
      if (!out) {
        EXPECT_EQ(out.error(), ec::invalid_argument);
      }
    }
}

TEST(job_actions, J07_remove_a_completed_job_without_a_move) {
  const auto x = in(completed, notify);
  const auto out = decide(x, {.action = work_action::remove, .at_us = 9});
  ASSERT_TRUE(out);
  EXPECT_TRUE(out->removed);
  EXPECT_EQ(out->status, x);
  const auto early = decide(in(notify), {.action = work_action::remove});
  EXPECT_NE(render(early.error()).find("the job is notify"), std::string::npos);
}

TEST(job_actions, J15_R04_mark_a_failed_job_deleted) {
  const auto out = decide(in(failed), {.action = work_action::remove});
  ASSERT_TRUE(out);
  EXPECT_FALSE(out->removed);
  EXPECT_EQ(out->status.state, deleted);
  EXPECT_TRUE(deletable(out->status.state));
}

TEST(job_actions, H10_force_a_failure_that_somebody_has_to_look_at) {
  const auto out = decide(in(storing, processing),
                          {.action = work_action::fail, .note = "stuck"});
  ASSERT_TRUE(out);
  EXPECT_EQ(out->status.state, failed);
  EXPECT_TRUE(out->status.needs_review);
  EXPECT_EQ(out->status.note, "stuck");
  EXPECT_EQ(out->status.last_successful, processing);
}

TEST(job_holds, H02_H04_H05_H11_concern_only_what_is_pending) {
  EXPECT_EQ(entered(pending, true), held);
  EXPECT_EQ(entered(pending, false), pending);
  for (const auto stage : all_stages)
    EXPECT_EQ(entered(stage, true), stage == pending ? held : stage)
      << word(stage);
}

TEST(job_holds, count_held_jobs_as_open) {
  EXPECT_EQ(group_of(held), job_group::open);
}

} // namespace depositd::rules
