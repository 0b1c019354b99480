// Wrong histories of batches and jobs, and good ones.

#include "tests/simulation/work_tale.hpp"

#include <gtest/gtest.h>

namespace depositd::simulation {

namespace {

using names = std::set<std::string>;

TEST(work_checker, finds_nothing_in_a_batch_that_completes) {
  auto x = done_tale();
  x.begin_report();
  x.end_report(batch_state::completed);
  EXPECT_EQ(x.broken(), names{});
}

TEST(work_checker, finds_nothing_in_a_batch_that_fails_and_is_mended) {
  auto x = split_tale();
  x.fail_first(2);
  x.do_first(3);
  x.do_last(3);
  x.begin_report();
  x.end_report(batch_state::failed);
  x.want(2, work_action::requeue);
  auto again = x.a_job_move(2, "p.first", job_state::pending, "p.first");
  again.status.retry_count = 1;
  x.move(again, [](job_counts& c) {
    ++c.open;
    --c.failed;
  });
  x.add(work_done_as_wanted{1, "pending"});
  x.do_first(2);
  x.do_last(2);
  x.want(work_tale::batch, work_action::update_report);
  x.begin_report(batch_state::update_reporting);
  x.end_report(batch_state::completed);
  EXPECT_EQ(x.broken(), names{});
}

TEST(work_checker, sees_a_stage_that_is_skipped) {
  auto x = split_tale();
  x.claim(2, "p.first");
  x.say(2);
  x.move(x.a_job_move(2, "p.first", job_state::completed, ""),
         [](job_counts& c) {
           --c.open;
           ++c.completed;
         });
  EXPECT_EQ(x.broken(), names{"I-11"});
}

TEST(work_checker, sees_a_stage_that_nobody_has_done) {
  auto x = split_tale();
  x.claim(2, "p.first");
  x.write("u", x.a_job_move(2, "p.first", job_state::notify, "p.last"));
  EXPECT_EQ(x.broken(), names{"I-11"});
}

TEST(work_checker, sees_a_stage_that_was_done_by_an_old_claim) {
  auto x = split_tale();
  x.claim(2, "p.first");
  x.say(2);
  auto lost = x.a_release(2, 1);
  lost.queue = "p.first";
  x.write("u", lost);
  x.claim(2, "p.first", 2);
  x.write("u", x.a_job_move(2, "p.first", job_state::notify, "p.last"));
  EXPECT_EQ(x.broken(), names{"I-11"});
}

TEST(work_checker, sees_a_stage_done_twice) {
  auto x = split_tale();
  x.do_first(2);
  x.write("u", x.a_job_move(2, "p.first", job_state::notify, "p.last"));
  EXPECT_EQ(x.broken().count("I-11"), 1u);
}

TEST(work_checker, sees_a_document_that_its_worker_did_not_write) {
  auto x = split_tale();
  x.claim(2, "p.first");
  x.say(2, verdict::done, "jid-2#1");
  x.write("u", x.a_job_move(2, "p.first", job_state::notify, "p.last"));
  EXPECT_EQ(x.broken(), names{"I-11"});
}

TEST(work_checker, sees_counts_that_are_not_those_of_the_jobs) {
  auto x = split_tale();
  x.do_first(2);
  x.claim(2, "p.last");
  x.say(2);
  x.write("u", x.a_job_move(2, "p.last", job_state::completed, ""));
  x.flush();
  EXPECT_EQ(x.broken(), names{"I-11"});
}

TEST(work_checker, sees_a_batch_that_closes_before_its_last_job) {
  auto x = split_tale();
  x.do_first(2);
  x.do_last(2);
  x.begin_report();
  EXPECT_EQ(x.broken(), names{"I-11"});
}

TEST(work_checker, sees_a_batch_that_is_completed_with_a_failed_job) {
  auto x = split_tale();
  x.fail_first(2);
  x.do_first(3);
  x.do_last(3);
  x.begin_report();
  x.end_report(batch_state::completed);
  EXPECT_EQ(x.broken(), names{"I-11"});
}

TEST(work_checker, sees_a_report_that_is_made_twice) {
  auto x = split_tale();
  x.fail_first(2);
  x.fail_first(3);
  x.begin_report();
  x.end_report(batch_state::failed);
  x.write("u",
          x.a_batch_move("p.report", batch_state::failed, "p.report", false));
  EXPECT_EQ(x.broken(), names{"I-11"});
}

TEST(work_checker, sees_jobs_that_are_missing_or_too_many) {
  work_tale more;
  more.split(2, true);
  EXPECT_EQ(more.broken(), names{"I-11"});
  work_tale less;
  less.split(3);
  EXPECT_EQ(less.broken(), names{"I-11"});
}

TEST(work_checker, sees_a_hold_that_nobody_wanted) {
  auto x = split_tale();
  auto good = x;
  good.want(2, work_action::hold);
  for (auto* each : {&x, &good})
    each->move(each->a_job_move(2, "p.first", job_state::held, "p.first", true),
               [](job_counts& c) { ++c.held; });
  EXPECT_EQ(good.broken(), names{});
  EXPECT_EQ(x.broken(), names{"I-11"});
}

TEST(work_checker, sees_a_held_job_that_is_worked_on) {
  auto x = split_tale();
  x.want(2, work_action::hold);
  x.move(x.a_job_move(2, "p.first", job_state::held, "p.first", true),
         [](job_counts& c) { ++c.held; });
  x.claim(2, "p.first");
  EXPECT_EQ(x.broken(), (names{"I-11", "I-6"}));
}

TEST(work_checker, sees_a_pending_job_of_a_held_collection_worked_on) {
  auto x = split_tale();
  collection_changed set;
  set.settings.name = "books";
  set.settings.held = true;
  x.add(proposed{1, {set}});
  x.write("", set);
  x.claim(2, "p.first");
  EXPECT_EQ(x.broken(), names{}) << "it was on its way";
  x.now_us += 1;
  x.claim(3, "p.first");
  EXPECT_EQ(x.broken(), names{"I-11"});
}

TEST(work_checker, sees_a_requeue_to_a_stage_that_was_not_reached) {
  auto x = split_tale();
  x.fail_first(2);
  x.want(2, work_action::requeue);
  auto again = x.a_job_move(2, "p.first", job_state::notify, "p.last");
  again.status.retry_count = 1;
  x.move(again, [](job_counts& c) {
    ++c.open;
    --c.failed;
  });
  EXPECT_EQ(x.broken(), names{"I-11"});
}

TEST(work_checker, sees_an_order_that_was_answered_and_not_done) {
  auto x = split_tale();
  x.want(2, work_action::hold);
  x.add(work_done_as_wanted{1, "held"});
  EXPECT_EQ(x.broken(), names{"I-11"});
}

TEST(work_checker, sees_a_batch_deleted_before_its_jobs) {
  auto x = split_tale();
  x.fail_first(2);
  x.fail_first(3);
  x.begin_report();
  x.end_report(batch_state::failed);
  x.want(work_tale::batch, work_action::remove);
  x.write("u", x.a_batch_move("p.report", batch_state::deleted, "", false));
  EXPECT_EQ(x.broken(), names{"I-11"});
}

TEST(work_checker, sees_an_item_that_ends_without_its_job) {
  auto x = split_tale();
  x.claim(2, "p.first");
  x.say(2);
  auto gone = x.an_end(2);
  gone.queue = "p.first";
  x.write("u", gone);
  EXPECT_EQ(x.broken(), names{"I-11"});
}

} // namespace

} // namespace depositd::simulation
