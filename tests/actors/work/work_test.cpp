// Batches and jobs in one shard. Names begin with the rows of the case table
// that they stand for.

#include "tests/actors/work/work_fixture.hpp"

namespace depositd {

namespace {

using work_test = testing::work_fixture;

TEST_F(work_test, J06_R02_a_job_walks_all_stages_and_its_batch_completes) {
  const auto batch = submit_and_split(3);
  ASSERT_EQ(jobs().size(), 3u);
  for (const auto id : jobs())
    EXPECT_EQ(state_of(id), "pending");
  EXPECT_EQ(state_of_batch(batch), "processing");
  EXPECT_EQ(run("first"), 3u);
  EXPECT_EQ(run("middle"), 3u);
  EXPECT_EQ(take("report").id, 0u) << "reported before the last job ended";
  EXPECT_EQ(run("last"), 3u);
  for (const auto id : jobs()) {
    EXPECT_EQ(state_of(id), "completed");
    EXPECT_EQ(last_of(id).place.queue, "");
  }
  EXPECT_EQ(state_of_batch(batch), "reporting");
  EXPECT_EQ(run("report"), 1u);
  EXPECT_EQ(state_of_batch(batch), "completed");
  EXPECT_EQ(last_of_batch(batch).jobs.completed, 3u);
  EXPECT_EQ(last_of_batch(batch).jobs.open, 0u);
}

TEST_F(work_test, R18_splitting_goes_on_after_a_crash_where_it_was) {
  const auto batch = submit(25);
  for (auto slice = 0; slice < 2; ++slice)
    ASSERT_TRUE(says(split(take("batch"), 10)));
  EXPECT_EQ(jobs().size(), 20u);
  EXPECT_EQ(run("first"), 20u);
  crash_and_begin();
  EXPECT_EQ(run("middle") + run("last"), 40u);
  EXPECT_EQ(take("report").id, 0u) << "five jobs are still missing";
  ASSERT_TRUE(says(split(take("batch"), 10)));
  EXPECT_EQ(jobs().size(), 25u);
  EXPECT_EQ(run("first") + run("middle") + run("last"), 15u);
  EXPECT_EQ(run("report"), 1u);
  EXPECT_EQ(last_of_batch(batch).jobs.completed, 25u);
  EXPECT_EQ(state_of_batch(batch), "completed");
}

TEST_F(work_test, jobs_that_end_while_others_are_made_are_counted) {
  const auto batch = submit(2);
  ASSERT_TRUE(says(split(take("batch"), 1)));
  EXPECT_EQ(run("first") + run("middle"), 2u);
  auto last = attach_to("p.last");
  want(last, 1);
  auto splitter = attach_to("p.batch");
  want(splitter, 1);
  ASSERT_EQ(last.got->items.size() + splitter.got->items.size(), 2u);
  caf::anon_send(
    splitter.door,
    settle_and_request{splitter.number, 0, {split(splitter.got->items[0], 1)}});
  caf::anon_send(
    last.door,
    settle_and_request{last.number, 0, {outcome_of(last.got->items[0])}});
  settle();
  EXPECT_EQ(last_of_batch(batch).jobs.completed, 1u);
  EXPECT_EQ(run("first") + run("middle") + run("last"), 3u);
  EXPECT_EQ(run("report"), 1u);
  EXPECT_EQ(state_of_batch(batch), "completed");
}

TEST_F(work_test, R03_R05_a_failed_job_is_requeued_and_its_batch_completes) {
  const auto batch = submit_and_split(2);
  EXPECT_EQ(run("first"), 2u);
  ASSERT_TRUE(says(take("middle"), verdict::failed, "no such file"));
  EXPECT_EQ(run("middle") + run("last"), 2u);
  const auto failed = jobs()[0];
  EXPECT_EQ(state_of(failed), "failed");
  EXPECT_EQ(last_of(failed).status.note, "no such file");
  EXPECT_TRUE(last_of(failed).status.needs_review);
  EXPECT_EQ(word(last_of(failed).status.last_successful), "downloading")
    << "states without a stage are passed through";
  EXPECT_EQ(run("report"), 1u);
  EXPECT_EQ(state_of_batch(batch), "failed");
  EXPECT_EQ(last_of_batch(batch).jobs.failed, 1u);

  const auto again = order(failed, work_action::requeue);
  ASSERT_TRUE(again) << render(again.error());
  EXPECT_EQ(word(again->status.state), "processing");
  EXPECT_EQ(again->status.retry_count, 1u);
  EXPECT_EQ(run("middle") + run("last"), 2u);
  EXPECT_EQ(state_of_batch(batch), "failed") << "until an operator asks";
  const auto told = order_whole(batch, work_action::update_report);
  ASSERT_TRUE(told) << render(told.error());
  EXPECT_EQ(run("report"), 1u);
  EXPECT_EQ(state_of_batch(batch), "completed");
  EXPECT_EQ(last_of_batch(batch).reports, 2u);
}

TEST_F(work_test, J28_tokens_of_a_job_rise_from_stage_to_stage) {
  submit_and_split(3);
  // The job is not the first of its first queue, but of the next ones.
  ASSERT_TRUE(says(take("first"), verdict::failed));
  claim_token last = 0;
  for (const auto* stage : {"first", "middle", "last"}) {
    const auto item = take(stage);
    EXPECT_GT(item.token, last) << stage;
    last = item.token;
    ASSERT_TRUE(says(item));
  }
}

TEST_F(work_test, J20_the_same_outcome_twice_is_one_step) {
  submit_and_split(1);
  const auto item = take("first");
  EXPECT_TRUE(says(item));
  EXPECT_FALSE(says(item));
  EXPECT_EQ(state_of(jobs()[0]), "processing");
  EXPECT_EQ(all<job_moved>().size(), 1u);
}

TEST_F(work_test, of_two_outcomes_at_once_one_counts) {
  submit_and_split(1);
  const auto item = take("first");
  auto worker = attach_to("p.first");
  caf::anon_send(worker.door,
                 settle_and_request{worker.number,
                                    0,
                                    {outcome_of(item, verdict::done),
                                     outcome_of(item, verdict::failed)}});
  settle();
  EXPECT_EQ(all<job_moved>().size(), 1u);
  EXPECT_EQ(state_of(jobs()[0]), "processing");
}

TEST_F(work_test, a_transient_failure_is_tried_again_until_it_is_final) {
  submit_and_split(1);
  const auto job = jobs()[0];
  for (auto attempt = 1; attempt <= 3; ++attempt) {
    const auto item = take("first");
    ASSERT_EQ(item.attempt, static_cast<std::uint32_t>(attempt));
    ASSERT_TRUE(says(item, verdict::retry, "connection lost"));
    EXPECT_EQ(take("first").id, 0u) << "before its delay";
    advance(std::chrono::hours{1});
  }
  EXPECT_EQ(state_of(job), "failed");
  EXPECT_TRUE(last_of(job).status.needs_review);
  EXPECT_EQ(last_of(job).status.note,
            "gave up after 3 attempts: connection lost");
}

TEST_F(work_test, not_yet_costs_no_attempt) {
  submit_and_split(1);
  for (auto i = 0; i < 10; ++i) {
    const auto item = take("first");
    ASSERT_EQ(item.attempt, 1u);
    ASSERT_TRUE(says(item, verdict::not_yet, "no room"));
    advance(std::chrono::hours{1});
  }
  EXPECT_EQ(state_of(jobs()[0]), "pending");
}

TEST_F(work_test, a_worker_cannot_make_a_job_another_one) {
  submit_and_split(5);
  const std::vector<void (*)(job_document&)> changes = {
    [](job_document& x) { x.uuid = "jid-2"; },
    [](job_document& x) { x.batch_uuid = "bid-2"; },
    [](job_document& x) { x.user = "ben"; },
    [](job_document& x) { x.collection = "maps"; }};
  for (const auto& change : changes) {
    const auto item = take("first");
    auto document = decode_job_document(item.body);
    ASSERT_TRUE(document);
    change(*document);
    auto what = outcome_of(item);
    what.document = encode(*document);
    EXPECT_TRUE(says(what));
    EXPECT_EQ(last_of(item.id).status.state, job_state::failed);
    EXPECT_TRUE(last_of(item.id).status.needs_review);
  }
  EXPECT_EQ(run("first"), 1u);
}

TEST_F(work_test, who_waits_to_be_woken_is_handed_out_then) {
  submit_and_split(3);
  std::vector<item_id> waiting;
  for (int i = 0; i < 3; ++i) {
    auto said = outcome_of(take("first"), verdict::not_yet);
    said.delay_ms = woken_wait_ms;
    waiting.push_back(said.id);
    EXPECT_TRUE(says(said));
  }
  EXPECT_EQ(take("first").id, 0u);
  EXPECT_TRUE(order(waiting[2], work_action::hold));
  // Held, nowhere, and of another stage: passed over.
  const wake_items some{"ann", "p.first", {waiting[1], waiting[2], 999}};
  EXPECT_TRUE(ask<done>(core, some));
  EXPECT_TRUE(ask<done>(core, wake_items{"ann", "p.last", {waiting[0]}}));
  EXPECT_TRUE(ask<done>(core, wake_items{"nobody", "p.first", {1}}));
  const auto woken = take("first");
  EXPECT_EQ(woken.id, waiting[1]);
  EXPECT_EQ(woken.attempt, 1u);
  EXPECT_TRUE(says(woken));
  EXPECT_EQ(take("first").id, 0u);
}

TEST_F(work_test, who_is_woken_while_it_is_in_work_does_not_wait) {
  submit_and_split(1);
  auto said = outcome_of(take("first"), verdict::not_yet);
  said.delay_ms = woken_wait_ms;
  EXPECT_TRUE(ask<done>(core, wake_items{"ann", "p.first", {said.id}}));
  EXPECT_TRUE(says(said));
  said = outcome_of(take("first"), verdict::not_yet);
  ASSERT_NE(said.id, 0u);
  said.delay_ms = woken_wait_ms;
  EXPECT_TRUE(says(said));
  EXPECT_EQ(take("first").id, 0u) << "it was woken once";
}

TEST_F(work_test, who_is_woken_hears_of_it_whatever_its_last_worker_says_late) {
  submit_and_split(1);
  const auto lost = outcome_of(take("first", 1000), verdict::not_yet);
  advance(std::chrono::seconds{2});
  auto said = outcome_of(take("first"), verdict::not_yet);
  ASSERT_EQ(said.id, lost.id);
  said.delay_ms = woken_wait_ms;
  EXPECT_TRUE(ask<done>(core, wake_items{"ann", "p.first", {said.id}}));
  EXPECT_FALSE(says(lost));
  EXPECT_TRUE(says(said));
  EXPECT_EQ(take("first").id, said.id);
}

TEST_F(work_test, who_waits_to_be_woken_is_handed_out_after_a_crash) {
  submit_and_split(1);
  auto said = outcome_of(take("first"), verdict::not_yet);
  said.delay_ms = woken_wait_ms;
  EXPECT_TRUE(says(said));
  crash_and_begin();
  EXPECT_EQ(take("first").id, said.id) << "nobody is left to wake it";
}

TEST_F(work_test, J26_a_lost_worker_gives_its_job_to_another) {
  submit_and_split(1);
  const auto job = jobs()[0];
  for (auto attempt = 1; attempt <= 3; ++attempt) {
    ASSERT_EQ(take("first", 1000).attempt, static_cast<std::uint32_t>(attempt));
    advance(std::chrono::seconds{2});
  }
  EXPECT_EQ(state_of(job), "failed");
  EXPECT_TRUE(last_of(job).status.needs_review);
}

TEST_F(work_test, a_handlers_document_is_the_jobs_from_then_on) {
  submit_and_split(1);
  const auto item = take("first");
  auto document = decode_job_document(item.body);
  ASSERT_TRUE(document);
  document->what.identifier = "ark:/99999/fk4x";
  document->space_needed = 42;
  document->priority = 60;
  auto what = outcome_of(item, verdict::not_yet);
  what.delay_ms = 1;
  what.document = encode(*document);
  ASSERT_TRUE(says(what));
  EXPECT_EQ(last_of(jobs()[0]).facts.identifier, "ark:/99999/fk4x");
  crash_and_begin();
  advance(std::chrono::seconds{1});
  const auto again = take("first");
  EXPECT_EQ(again.body, what.document);
  EXPECT_EQ(again.priority, 60);
  EXPECT_EQ(again.attempt, 1u);
}

TEST_F(work_test, H02_H05_jobs_of_a_held_collection_wait_for_their_release) {
  hold(true);
  const auto batch = submit_and_split(2);
  EXPECT_EQ(state_of_batch(batch), "processing");
  for (const auto id : jobs())
    EXPECT_EQ(state_of(id), "held");
  EXPECT_EQ(take("first").id, 0u);
  EXPECT_EQ(last_of_batch(batch).jobs.held, 2u);
  const auto early = order(jobs()[0], work_action::release);
  ASSERT_TRUE(early) << render(early.error());
  EXPECT_EQ(word(early->status.state), "held") << "while it is held";
  hold(false);
  EXPECT_EQ(take("first").id, 0u) << "releasing is another order";
  for (const auto id : jobs())
    ASSERT_TRUE(order(id, work_action::release));
  EXPECT_EQ(run("first") + run("middle") + run("last"), 6u);
  EXPECT_EQ(run("report"), 1u);
  EXPECT_EQ(state_of_batch(batch), "completed");
}

TEST_F(work_test, H04_a_hold_takes_what_is_pending_and_lets_the_rest_go_on) {
  submit_and_split(3);
  const auto begun = take("first");
  const auto further = take("first");
  ASSERT_TRUE(says(further));
  hold(true);
  EXPECT_EQ(state_of(jobs()[2]), "held");
  EXPECT_EQ(state_of(further.id), "processing");
  EXPECT_TRUE(says(begun));
  EXPECT_EQ(state_of(begun.id), "processing");
  crash_and_begin();
  EXPECT_EQ(take("first").id, 0u);
  EXPECT_EQ(run("middle"), 2u);
}

TEST_F(work_test, H09_an_order_that_cannot_be_names_the_state) {
  submit_and_split(1);
  const auto job = jobs()[0];
  const auto before = all<job_moved>().size();
  for (const auto action :
       {work_action::release, work_action::requeue, work_action::remove}) {
    const auto said = order(job, action);
    ASSERT_FALSE(said);
    EXPECT_EQ(said.error(), ec::invalid_argument);
    EXPECT_NE(render(said.error()).find("pending"), std::string::npos);
  }
  const auto item = take("first");
  const auto held = order(job, work_action::hold);
  ASSERT_FALSE(held) << "somebody works on it";
  EXPECT_NE(render(held.error()).find("try again"), std::string::npos);
  for (const auto action :
       {work_action::release, work_action::requeue, work_action::remove}) {
    const auto said = order(job, action);
    ASSERT_FALSE(said);
    EXPECT_EQ(render(said.error()).find("try again"), std::string::npos)
      << "which would not help";
  }
  EXPECT_EQ(all<job_moved>().size(), before);
  EXPECT_EQ(order(99, work_action::hold).error(), ec::not_found);
}

TEST_F(work_test, H10_a_job_that_is_stuck_can_be_failed) {
  submit_and_split(1);
  const auto item = take("first");
  ASSERT_TRUE(order(jobs()[0], work_action::fail));
  EXPECT_EQ(state_of(jobs()[0]), "failed");
  EXPECT_FALSE(says(item)) << "its claim has ended";
  ASSERT_TRUE(order(jobs()[0], work_action::requeue, "first"));
  EXPECT_EQ(take("first").attempt, 1u);
}

TEST_F(work_test, H07_a_failure_in_each_stage_is_requeued_to_it) {
  submit_and_split(2); // the other keeps the batch open
  const auto job = jobs()[0];
  std::uint32_t retries = 0;
  for (const auto* stage : {"first", "middle", "last"}) {
    const auto item = take(stage);
    ASSERT_EQ(item.id, job) << stage;
    ASSERT_TRUE(says(item, verdict::failed, "as the test says"));
    EXPECT_EQ(state_of(job), "failed");
    ASSERT_TRUE(order(job, work_action::requeue));
    EXPECT_EQ(last_of(job).status.retry_count, ++retries);
    const auto again = take(stage);
    ASSERT_EQ(again.id, job) << stage;
    ASSERT_TRUE(says(again));
  }
  EXPECT_EQ(state_of(job), "completed");
}

class sliced_work_test : public work_test {
protected:
  void SetUp() override {
    slice_items = 10;
    work_test::SetUp();
  }

  jobs_ordered order_all(job_state state, work_action action) {
    order_jobs what;
    what.which.states = {state};
    what.which.collections = {collection.name};
    what.action = action;
    what.note = "by test";
    const auto sum = ask<jobs_ordered>(core, what);
    EXPECT_TRUE(sum);
    return sum ? *sum : jobs_ordered{};
  }
};

TEST_F(sliced_work_test, H06_all_held_jobs_are_released_by_one_order) {
  hold(true);
  submit_and_split(25);
  hold(false);
  order_jobs others;
  others.which.states = {job_state::held};
  others.which.collections = {"elsewhere"};
  others.action = work_action::release;
  EXPECT_EQ(ask<jobs_ordered>(core, others)->matched, 0u);
  const auto sum = order_all(job_state::held, work_action::release);
  EXPECT_EQ(sum.matched, 25u);
  EXPECT_EQ(sum.moved, 25u);
  EXPECT_EQ(run("first"), 25u);
}

TEST_F(sliced_work_test, H08_jobs_that_are_failed_by_order_are_counted_so) {
  const auto batch = submit_and_split(12);
  EXPECT_EQ(run("first"), 12u);
  EXPECT_EQ(order_all(job_state::processing, work_action::fail).moved, 12u);
  EXPECT_EQ(take("middle").id, 0u);
  EXPECT_EQ(run("report"), 1u);
  EXPECT_EQ(state_of_batch(batch), "failed");
  const auto counts = last_of_batch(batch).jobs;
  EXPECT_EQ(counts.failed, 12u);
  EXPECT_EQ(counts.open, 0u);
}

TEST_F(sliced_work_test, H14_all_failed_jobs_are_requeued_by_one_order) {
  submit_and_split(25);
  EXPECT_EQ(run("first", verdict::failed), 25u);
  EXPECT_EQ(run("report"), 1u);
  EXPECT_EQ(order_all(job_state::failed, work_action::requeue).moved, 25u);
  EXPECT_EQ(order_all(job_state::failed, work_action::requeue).matched, 0u)
    << "again is harmless";
  EXPECT_EQ(run("first"), 25u);
}

TEST_F(work_test, requeueing_cannot_help_what_was_submitted_wrongly) {
  submit_and_split(1);
  ASSERT_TRUE(says(take("first"), verdict::rejected, "line 3: no such digest"));
  const auto said = order(jobs()[0], work_action::requeue);
  ASSERT_FALSE(said);
  EXPECT_NE(render(said.error()).find("submit again"), std::string::npos);
}

TEST_F(work_test, R04_R12_a_batch_is_deleted_with_its_failed_jobs) {
  const auto batch = submit_and_split(2);
  EXPECT_FALSE(order_whole(batch, work_action::remove)) << "jobs are open";
  ASSERT_TRUE(says(take("first"), verdict::failed, "bad"));
  EXPECT_EQ(run("first") + run("middle") + run("last") + run("report"), 4u);
  ASSERT_EQ(state_of_batch(batch), "failed");
  const auto said = order_whole(batch, work_action::remove);
  ASSERT_TRUE(said) << render(said.error());
  EXPECT_EQ(state_of(jobs()[0]), "deleted");
  EXPECT_EQ(word(last_of(jobs()[0]).status.last_successful), "");
  EXPECT_EQ(state_of_batch(batch), "deleted");
  EXPECT_EQ(last_of_batch(batch).jobs.deleted, 1u);
  EXPECT_EQ(report_of("p.first").items, 0u);
  EXPECT_EQ(report_of("p.report").items, 0u);
}

TEST_F(work_test, R15_R17_what_cannot_be_split_is_reported_and_deleted) {
  const auto batch = submit(0);
  ASSERT_TRUE(says(take("batch"), verdict::rejected, "line 2: no address"));
  EXPECT_EQ(state_of_batch(batch), "failed");
  EXPECT_EQ(last_of_batch(batch).status.note, "line 2: no address");
  EXPECT_EQ(run("report"), 1u);
  EXPECT_EQ(state_of_batch(batch), "failed");
  ASSERT_TRUE(order_whole(batch, work_action::remove));
  EXPECT_EQ(state_of_batch(batch), "deleted");
}

TEST_F(work_test, M36_a_batch_without_jobs_has_failed) {
  const auto batch = submit_and_split(0);
  EXPECT_EQ(state_of_batch(batch), "failed");
}

TEST_F(work_test, a_batch_can_be_held_before_it_is_split) {
  const auto batch = submit(1);
  ASSERT_TRUE(order_whole(batch, work_action::hold));
  EXPECT_EQ(take("batch").id, 0u);
  crash_and_begin();
  EXPECT_EQ(take("batch").id, 0u);
  ASSERT_TRUE(order_whole(batch, work_action::release));
  ASSERT_TRUE(says(split(take("batch"))));
  EXPECT_EQ(jobs().size(), 1u);
}

TEST_F(work_test, strangers_cannot_submit_nor_send_to_stages) {
  submit_batch what;
  what.user = "bob";
  what.info.collection = "books";
  EXPECT_EQ(ask<batch_accepted>(core, what).error(), ec::not_allowed);
  what.info.collection = "none";
  EXPECT_EQ(ask<batch_accepted>(core, what).error(), ec::not_found);
  EXPECT_EQ(ask<enqueued>(core, enqueue{"p.first", {{"ann", 0, "x"}}}).error(),
            ec::invalid_argument);
  EXPECT_EQ(ask<done>(core, purge_queue{"p.first"}).error(),
            ec::invalid_argument);
}

} // namespace

} // namespace depositd
