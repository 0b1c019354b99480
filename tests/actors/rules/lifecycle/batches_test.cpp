// Names of tests begin with the rows of the case table that they stand for.

#include "actors/rules/lifecycle/batches.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <vector>

namespace depositd::rules {

namespace {

using enum batch_state;

batch_status in(batch_state state) {
  return {.state = state, .changed_us = 5};
}

/// Counts of a batch of so many jobs that are all in this state.
job_counts all_in(std::uint64_t jobs, job_state state) {
  job_counts out{.expected = jobs, .split = true};
  for (std::uint64_t i = 0; i < jobs; ++i)
    count(out, job_state::none, state);
  return out;
}

} // namespace

TEST(batch_moves, J17_are_refused_off_the_table_and_name_the_state) {
  for (const auto& [from, from_word] : words_of<batch_state>)
    for (const auto& [to, to_word] : words_of<batch_state>) {
      const auto x = moved(in(from), {from, to, 9, "note"});
      EXPECT_EQ(static_cast<bool>(x), may_move(from, to))
        << from_word << " -> " << to_word;
      if (x) {
        EXPECT_EQ(*x, (batch_status{to, 9, "note"}));
      } else {
        EXPECT_NE(render(x.error()).find(from_word), std::string::npos);
      }
    }
}

TEST(batch_moves, B05_begin_pending_only) {
  EXPECT_EQ(moved({}, {none, pending, 7, ""})->state, pending);
  EXPECT_EQ(moved({}, {none, processing, 7, ""}).error(), ec::invalid_argument);
}

TEST(batch_moves, name_the_state_that_they_expect) {
  const auto late = moved(in(reporting), {processing, reporting, 9, ""});
  EXPECT_EQ(late.error(), ec::stale_claim);
  EXPECT_EQ(render(late.error()), "the batch is reporting, not processing");
}

TEST(batch_counts, R01_R02_are_open_until_the_last_job_is_done) {
  auto x = all_in(2, job_state::notify);
  EXPECT_EQ(judge(x), batch_verdict::open);
  count(x, job_state::notify, job_state::completed);
  EXPECT_EQ(next_state(processing, x), none);
  count(x, job_state::notify, job_state::completed);
  EXPECT_EQ(judge(x), batch_verdict::all_completed);
  EXPECT_EQ(next_state(processing, x), reporting);
  EXPECT_EQ(after_report(reporting, x), completed);
}

TEST(batch_counts, R03_R09_fail_the_batch_for_one_job) {
  auto x = all_in(3, job_state::completed);
  count(x, job_state::completed, job_state::failed);
  EXPECT_EQ(judge(x), batch_verdict::some_failed);
  EXPECT_EQ(next_state(processing, x), reporting) << "told all the same";
  EXPECT_EQ(after_report(reporting, x), failed);
}

TEST(batch_counts, R05_R11_a_failed_batch_stays_until_it_is_asked) {
  auto x = all_in(1, job_state::failed);
  count(x, job_state::failed, job_state::notify);
  EXPECT_EQ(next_state(failed, x), none);
  EXPECT_EQ(after_report(update_reporting, x), failed) << "one is open";
  count(x, job_state::notify, job_state::completed);
  EXPECT_EQ(next_state(failed, x), none);
  EXPECT_EQ(after_report(update_reporting, x), completed);
}

TEST(batch_counts, R14_deleted_jobs_count_for_neither) {
  auto x = all_in(2, job_state::completed);
  count(x, job_state::completed, job_state::failed);
  count(x, job_state::failed, job_state::deleted);
  EXPECT_EQ(x.deleted, 1u);
  EXPECT_EQ(judge(x), batch_verdict::all_completed);
}

TEST(batch_counts, R18_wait_for_all_that_are_expected) {
  job_counts x{.expected = 1'000};
  for (int i = 0; i < 400; ++i)
    count(x, job_state::none, job_state::completed);
  EXPECT_EQ(judge(x), batch_verdict::open) << "not split to the end";
  x.split = true;
  EXPECT_EQ(judge(x), batch_verdict::open) << "600 are missing";
  for (int i = 0; i < 600; ++i)
    count(x, job_state::none, job_state::completed);
  EXPECT_EQ(judge(x), batch_verdict::all_completed);
}

TEST(batch_counts, held_jobs_keep_a_batch_open) {
  auto x = all_in(1, job_state::pending);
  count(x, job_state::pending, job_state::held);
  EXPECT_EQ(x.held, 1u);
  EXPECT_EQ(x.open, 1u);
  EXPECT_EQ(judge(x), batch_verdict::open);
  count(x, job_state::held, job_state::pending);
  EXPECT_EQ(x.held, 0u);
}

TEST(batch_counts, are_those_of_the_jobs_whatever_the_order_of_moves) {
  std::mt19937 chance{7};
  std::vector<job_state> jobs(50, job_state::none);
  job_counts x{.expected = jobs.size(), .split = true};
  for (int i = 0; i < 5'000; ++i) {
    auto& job = jobs[chance() % jobs.size()];
    const auto& to = words_of<job_state>[chance() % 12].first;
    count(x, job, to);
    job = to;
  }
  for (auto& job : jobs) // whatever was never chosen
    if (job == job_state::none) {
      count(x, job, job_state::pending);
      job = job_state::pending;
    }
  const auto in_state = [&](job_state state) {
    return static_cast<std::uint64_t>(
      std::count(jobs.begin(), jobs.end(), state));
  };
  EXPECT_EQ(x.total(), jobs.size());
  EXPECT_EQ(x.completed, in_state(job_state::completed));
  EXPECT_EQ(x.failed, in_state(job_state::failed));
  EXPECT_EQ(x.deleted, in_state(job_state::deleted));
  EXPECT_EQ(x.held, in_state(job_state::held));
}

TEST(batch_counts, lead_nowhere_from_other_states) {
  const auto done = all_in(1, job_state::completed);
  for (const auto& [state, text] : words_of<batch_state>) {
    EXPECT_EQ(next_state(state, done), state == processing ? reporting : none)
      << text;
    EXPECT_EQ(after_report(state, done) != none,
              state == reporting || state == update_reporting)
      << text;
  }
}

TEST(batch_actions, H09_are_possible_only_where_the_table_says) {
  using states = std::set<batch_state>;
  const std::map<work_action, states> allowed = {
    {work_action::hold, {pending}},
    {work_action::release, {held}},
    {work_action::update_report, {failed}},
    {work_action::remove, {held, failed, completed, deleted}},
    {work_action::requeue, {}},
    {work_action::fail, {}},
  };
  for (const auto& [action, where] : allowed)
    for (const auto& [state, text] : words_of<batch_state>) {
      const auto out = decide(in(state), {.action = action, .at_us = 9});
      EXPECT_EQ(static_cast<bool>(out), where.count(state) == 1)
        << word(action) << " of " << text;
      if (!out) {
        EXPECT_EQ(out.error(), ec::invalid_argument);
      }
    }
}

TEST(batch_actions, R06_R12_remove_what_is_over_and_mark_what_is_not) {
  EXPECT_TRUE(decide(in(completed), {.action = work_action::remove})->removed);
  const auto marked = decide(in(failed), {.action = work_action::remove});
  EXPECT_FALSE(marked->removed);
  EXPECT_EQ(marked->status.state, deleted);
}

} // namespace depositd::rules
