// Rows of the case table about holds and what operators do, in one shard. Names
// begin with them.

#include "tests/actors/work/work_fixture.hpp"

#include <vector>

namespace depositd {

namespace {

class hold_rows : public testing::work_fixture {
protected:
  void SetUp() override {
    work_fixture::SetUp();
    other.name = "maps";
    ASSERT_TRUE(change({collection_changed{other, false}}));
  }

  void suspend(bool on) {
    ASSERT_TRUE(change({server_changed{on, false}}));
  }

  /// Of a collection, with one order.
  jobs_ordered order_all(const std::string& of, job_state state,
                         work_action action) {
    order_jobs what;
    what.which.collections = {of};
    what.which.states = {state};
    what.action = action;
    const auto reply = ask<jobs_ordered>(core, std::move(what));
    EXPECT_TRUE(reply) << (reply ? "" : render(reply.error()));
    return reply ? *reply : jobs_ordered{};
  }

  collection_settings other = collection;
};

TEST_F(hold_rows, H01_paused_it_takes_batches_and_splits_none) {
  suspend(true);
  const auto batch = submit(1);
  EXPECT_EQ(take("batch").id, 0u);
  EXPECT_EQ(state_of_batch(batch), "pending");
  EXPECT_TRUE(jobs().empty());
  suspend(false);
  ASSERT_TRUE(says(split(take("batch"))));
  EXPECT_EQ(run("first") + run("middle") + run("last"), 3u);
  EXPECT_EQ(run("report"), 1u);
}

TEST_F(hold_rows, B14_setting_or_lifting_a_hold_twice_is_no_error) {
  suspend(true);
  suspend(true);
  const auto batch = submit(1);
  EXPECT_EQ(take("batch").id, 0u);
  suspend(false);
  EXPECT_EQ(take("batch").id, batch) << "lifted once for all";
  suspend(false);
}

TEST_F(hold_rows, a_user_who_is_just_asked_to_leave_is_not_passed_by) {
  for (std::size_t steps = 0; steps < 8; ++steps) {
    SCOPED_TRACE(steps);
    submit(1, "ann", "bid-" + std::to_string(steps));
    ASSERT_TRUE(says(split(take("batch"))));
    const auto job = jobs().back();
    sched.advance_time(std::chrono::seconds{61});
    settle(steps);
    hold(true);
    EXPECT_EQ(state_of(job), "held");
    hold(false);
    sched.advance_time(std::chrono::seconds{61});
    settle(steps);
    EXPECT_TRUE(order(job, work_action::release));
    sched.advance_time(std::chrono::seconds{61});
    settle(steps);
    EXPECT_EQ(order_all("books", job_state::pending, work_action::hold).moved,
              1u);
    EXPECT_EQ(state_of(job), "held");
    EXPECT_EQ(order_all("books", job_state::held, work_action::release).moved,
              steps + 1);
  }
}

TEST_F(hold_rows, H03_B15_a_hold_before_a_batch_starts_starts_nothing_of_it) {
  hold(true);
  const auto held = submit(2);
  const auto free = submit(1, "ann", "bid-2", "maps");
  for (auto item = take("batch"); item.id != 0; item = take("batch"))
    ASSERT_TRUE(says(split(item)));
  EXPECT_EQ(last_of_batch(held).jobs.held, 2u);
  EXPECT_EQ(last_of_batch(free).jobs.held, 0u);
  EXPECT_EQ(run("first"), 1u) << "of the other collection alone";
  EXPECT_EQ(run("middle") + run("last") + run("report"), 3u);
  EXPECT_EQ(state_of_batch(free), "completed");
}

TEST_F(hold_rows, H04_H11_what_comes_back_to_its_beginning_waits_as_well) {
  submit_and_split(3);
  const auto tried = take("first");
  const auto lost = take("first", 1000);
  const auto further = take("first");
  hold(true);
  for (const auto id : jobs())
    EXPECT_EQ(state_of(id), "pending") << "somebody works on it";
  ASSERT_TRUE(says(tried, verdict::retry, "no connection"));
  ASSERT_TRUE(says(further));
  advance(std::chrono::hours{1});
  EXPECT_EQ(state_of(tried.id), "held");
  EXPECT_EQ(state_of(lost.id), "held");
  EXPECT_EQ(state_of(further.id), "processing");
  EXPECT_EQ(take("first").id, 0u);
  hold(false);
  for (const auto id : {tried.id, lost.id})
    ASSERT_TRUE(order(id, work_action::release));
  EXPECT_EQ(run("first"), 2u);
}

TEST_F(hold_rows, one_that_is_lifted_while_it_is_set_holds_no_more_jobs) {
  slice_items = 1;
  crash_and_begin();
  submit_and_split(3);
  for (const auto held : {true, false}) {
    collection.held = held;
    caf::anon_send(core, propose{{collection_changed{collection, false}}});
  }
  settle();
  EXPECT_EQ(state_of(jobs().back()), "pending");
}

TEST_F(hold_rows, H06_a_release_frees_all_of_the_collection_and_no_others) {
  hold(true);
  other.held = true;
  ASSERT_TRUE(change({collection_changed{other, false}}));
  submit(3);
  submit(2, "ann", "bid-2", "maps");
  for (auto item = take("batch"); item.id != 0; item = take("batch"))
    ASSERT_TRUE(says(split(item)));
  hold(false);
  const auto done = order_all("books", job_state::held, work_action::release);
  EXPECT_EQ(done.matched, 3u);
  EXPECT_EQ(done.moved, 3u);
  EXPECT_EQ(run("first"), 3u);
  for (const auto& row : jobs_found({.collections = {"maps"}}))
    EXPECT_EQ(row.status.state, job_state::held);
}

TEST_F(hold_rows, H07_what_fails_in_a_stage_is_requeued_to_that_stage) {
  const std::vector<std::string> names{"first", "middle", "last"};
  for (std::size_t at = 0; at < names.size(); ++at) {
    submit(1, "ann", "bid-" + names[at]);
    ASSERT_TRUE(says(split(take("batch"))));
    const auto job = jobs().back();
    for (std::size_t i = 0; i < at; ++i)
      ASSERT_EQ(run(names[i]), 1u);
    ASSERT_TRUE(order(job, work_action::fail));
    EXPECT_EQ(run("report"), 1u);
    const auto again = order(job, work_action::requeue);
    ASSERT_TRUE(again) << render(again.error());
    EXPECT_EQ(again->status.retry_count, 1u);
    for (std::size_t i = at; i < names.size(); ++i)
      ASSERT_EQ(run(names[i]), 1u) << names[at] << ' ' << names[i];
    EXPECT_EQ(state_of(job), "completed");
  }
}

TEST_F(hold_rows, H08_jobs_that_are_failed_by_order_leave_equal_counts) {
  const auto batch = submit_and_split(4);
  const auto working = take("first");
  for (const auto id : jobs())
    ASSERT_TRUE(order(id, work_action::fail));
  const auto counts = last_of_batch(batch).jobs;
  EXPECT_EQ(counts.failed, 4u);
  EXPECT_EQ(counts.open, 0u);
  EXPECT_FALSE(says(working)) << "its claim has ended";
  const auto queue = report_of("p.first");
  EXPECT_EQ(queue.ready, 0u);
  EXPECT_EQ(queue.in_flight, 0u);
  EXPECT_EQ(run("report"), 1u);
  EXPECT_EQ(state_of_batch(batch), "failed");
}

TEST_F(hold_rows, H13_a_pause_stops_the_last_stages_too) {
  submit_and_split(1);
  EXPECT_EQ(run("first") + run("middle"), 2u);
  suspend(true);
  EXPECT_EQ(take("last").id, 0u);
  suspend(false);
  EXPECT_EQ(run("last"), 1u);
  suspend(true);
  EXPECT_EQ(take("report").id, 0u);
  suspend(false);
  EXPECT_EQ(run("report"), 1u);
}

TEST_F(hold_rows, H14_all_that_failed_is_requeued_with_one_order) {
  constexpr std::uint64_t count = 300;
  slice_items = 50;
  crash_and_begin();
  submit_and_split(count);
  EXPECT_EQ(run("first", verdict::failed), count);
  const auto done = order_all("books", job_state::failed, work_action::requeue);
  EXPECT_EQ(done.matched, count);
  EXPECT_EQ(done.moved, count);
  const auto again =
    order_all("books", job_state::failed, work_action::requeue);
  EXPECT_EQ(again.matched, 0u) << "so it may be given again";
  EXPECT_EQ(run("first"), count);
}

TEST_F(hold_rows, H16_after_a_pause_the_backlog_comes_by_priority) {
  suspend(true);
  for (const auto priority : std::vector<std::uint8_t>{3, 1, 2}) {
    submit_batch what;
    what.user = "ann";
    what.info.uuid = "bid-" + std::to_string(priority);
    what.info.collection = "books";
    what.priority = priority;
    batch_document document;
    document.uuid = what.info.uuid;
    what.document = encode(document);
    ASSERT_TRUE(ask<batch_accepted>(core, std::move(what)));
  }
  suspend(false);
  for (const auto priority : std::vector<std::uint8_t>{1, 2, 3})
    EXPECT_EQ(take("batch").priority, priority);
}

TEST_F(hold_rows, a_note_does_not_end_a_delay) {
  submit_and_split(1);
  auto later = outcome_of(take("first"), verdict::not_yet);
  later.delay_ms = 60'000;
  ASSERT_TRUE(says(later));
  ASSERT_TRUE(order(jobs()[0], work_action::note));
  EXPECT_EQ(take("first").id, 0u);
  advance(std::chrono::seconds{60});
  EXPECT_EQ(take("first").id, jobs()[0]);
}

} // namespace

} // namespace depositd
