// Rows of the case table about batches and their reports, in one shard. Names
// begin with them.

#include "messages/values/orders.hpp"
#include "tests/actors/work/work_fixture.hpp"

namespace depositd {

namespace {

using batch_rows = testing::work_fixture;

TEST_F(batch_rows, B02_ids_are_distinct_and_rise) {
  item_id last = 0;
  for (int i = 0; i < 3; ++i) {
    const auto id = submit(1);
    EXPECT_GT(id, last);
    last = id;
  }
}

TEST_F(batch_rows, B05_B06_a_batch_is_pending_also_after_a_restart) {
  const auto id = submit(1);
  for (int i = 0; i < 2; ++i) {
    const auto rows = batches_found({.id = id});
    ASSERT_EQ(rows.size(), 1u);
    EXPECT_EQ(rows[0].status.state, batch_state::pending);
    EXPECT_EQ(rows[0].status.note, "");
    EXPECT_EQ(rows[0].info.uuid, "bid-1");
    EXPECT_EQ(rows[0].user, "ann");
    EXPECT_EQ(rows[0].jobs.total(), 0u);
    crash_and_begin();
  }
}

TEST_F(batch_rows, B07_a_batch_that_is_not_there_is_an_error) {
  EXPECT_EQ(order_whole(99, work_action::hold).error(), ec::not_found);
  EXPECT_TRUE(batches_found({.id = 99}).empty());
}

TEST_F(batch_rows, B08_a_batch_is_found_by_its_uuid) {
  submit(1);
  const auto id = submit(1, "ann", "bid-2");
  const auto rows = batches_found({.uuid = "bid-2"});
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].id, id);
  EXPECT_TRUE(batches_found({.uuid = "bid-3"}).empty());
}

TEST_F(batch_rows, B12_a_batch_is_processing_once_a_part_of_it_is_split) {
  const auto batch = submit(2);
  const auto item = take("batch");
  EXPECT_EQ(state_of_batch(batch), "pending");
  ASSERT_TRUE(says(split(item, 1)));
  EXPECT_EQ(state_of_batch(batch), "processing");
}

TEST_F(batch_rows, B13_of_two_batches_each_is_handed_out_once) {
  const auto first = submit(1);
  const auto second = submit(1);
  EXPECT_EQ(take("batch").id, first);
  EXPECT_EQ(take("batch").id, second);
  EXPECT_EQ(take("batch").id, 0u);
}

TEST_F(batch_rows, B18_of_twenty_workers_one_gets_a_batch) {
  std::vector<testing::test_processor> workers;
  for (int i = 0; i < 20; ++i) {
    workers.push_back(attach_to("p.batch"));
    caf::anon_send(workers.back().door,
                   settle_and_request{workers.back().number, 1, {}});
  }
  submit(1);
  std::size_t got = 0;
  for (const auto& who : workers)
    got += who.got->items.size();
  EXPECT_EQ(got, 1u);
}

TEST_F(batch_rows, B09_B11_a_batch_is_its_workers_until_it_is_given_back) {
  const auto batch = submit(2);
  const auto item = take("batch");
  ASSERT_EQ(item.id, batch);
  EXPECT_EQ(take("batch").id, 0u) << "it stays with who has it";
  ASSERT_TRUE(says(item, verdict::release));
  EXPECT_EQ(state_of_batch(batch), "pending") << "nothing else has changed";
  EXPECT_TRUE(jobs().empty());
  EXPECT_EQ(take("batch").id, batch);
}

TEST_F(batch_rows, B03_B04_B10_a_batch_of_a_dead_worker_goes_to_another) {
  const auto batch = submit(1);
  ASSERT_EQ(take("batch").id, batch);
  EXPECT_EQ(take("batch").id, 0u);
  kill_worker_of(batch);
  const auto again = take("batch");
  EXPECT_EQ(again.id, batch);
  EXPECT_TRUE(says(split(again)));
}

TEST_F(batch_rows, B19_a_deleted_batch_is_in_nobodys_way) {
  const auto bad = submit(1);
  ASSERT_TRUE(says(take("batch"), verdict::failed, "bad"));
  ASSERT_EQ(run("report"), 1u);
  ASSERT_TRUE(order_whole(bad, work_action::remove));
  const auto good = submit_and_split(1);
  EXPECT_EQ(run("first") + run("middle") + run("last"), 3u);
  EXPECT_EQ(run("report"), 1u);
  EXPECT_EQ(state_of_batch(good), "completed");
  EXPECT_EQ(state_of_batch(bad), "deleted");
}

TEST_F(batch_rows, B20_a_held_batch_is_not_handed_out) {
  const auto batch = submit(1);
  ASSERT_TRUE(order_whole(batch, work_action::hold));
  EXPECT_EQ(take("batch").id, 0u);
  EXPECT_EQ(state_of_batch(batch), "held");
}

TEST_F(batch_rows, R01_R21_nothing_is_reported_before_the_last_stage_is_done) {
  const auto batch = submit_and_split(2);
  EXPECT_EQ(run("first") + run("middle"), 4u);
  ASSERT_TRUE(says(take("last")));
  const auto waits = take("last");
  EXPECT_EQ(take("report").id, 0u);
  EXPECT_EQ(state_of_batch(batch), "processing");
  EXPECT_EQ(state_of(waits.id), "notify");
  ASSERT_TRUE(says(waits));
  EXPECT_EQ(run("report"), 1u);
}

TEST_F(batch_rows, R01_it_waits_to_be_reported_since_its_last_job_ended) {
  const auto batch = submit_and_split(1);
  run("first");
  run("middle");
  advance(std::chrono::seconds{3});
  run("last");
  const auto jobs = jobs_found();
  ASSERT_EQ(jobs.size(), 1u);
  const auto last = last_of_batch(batch);
  EXPECT_EQ(last.status.state, batch_state::reporting);
  EXPECT_EQ(last.status.changed_us, jobs[0].status.changed_us);
}

TEST_F(batch_rows, R15_why_it_could_not_be_split_is_known_after_its_report) {
  const auto batch = submit(1);
  ASSERT_TRUE(says(take("batch"), verdict::failed, "there are no rows"));
  ASSERT_TRUE(says(take("report"), verdict::retry, "nobody takes mail"));
  EXPECT_EQ(last_of_batch(batch).status.note, "there are no rows");
  crash_and_begin();
  advance(std::chrono::seconds{10});
  ASSERT_TRUE(says(take("report")));
  EXPECT_EQ(state_of_batch(batch), "failed");
  EXPECT_EQ(last_of_batch(batch).status.note, "there are no rows");
  ASSERT_TRUE(order_whole(batch, work_action::update_report));
  ASSERT_TRUE(says(take("report"), verdict::failed, "no such address"));
  EXPECT_EQ(last_of_batch(batch).status.note,
            "there are no rows; the report was not sent: no such address");
}

TEST_F(batch_rows, R06_R07_cleanup_leaves_nothing_of_a_completed_batch) {
  submit_and_split(2);
  run("first");
  run("middle");
  run("last");
  ASSERT_EQ(run("report"), 1u);
  const auto open = submit(1, "ann", "bid-2");
  const auto gone = ask<batches_forgotten>(core, forget_batches{});
  ASSERT_TRUE(gone) << render(gone.error());
  EXPECT_EQ(gone->count, 1u);
  const auto left = batches_found();
  ASSERT_EQ(left.size(), 1u);
  EXPECT_EQ(left[0].id, open);
  EXPECT_TRUE(jobs_found().empty());
  EXPECT_TRUE(batches_found({.uuid = "bid-1"}).empty());
}

TEST_F(batch_rows, R16_R17_cleanup_takes_what_failed_and_was_deleted) {
  const auto with_jobs = submit_and_split(1);
  ASSERT_TRUE(says(take("first"), verdict::failed, "bad"));
  const auto without = submit(1);
  ASSERT_TRUE(says(take("batch"), verdict::failed, "bad"));
  EXPECT_EQ(run("report"), 2u);
  for (const auto id : {with_jobs, without})
    ASSERT_TRUE(order_whole(id, work_action::remove));
  const auto gone = ask<batches_forgotten>(core, forget_batches{});
  ASSERT_TRUE(gone) << render(gone.error());
  EXPECT_EQ(gone->count, 2u);
  EXPECT_TRUE(batches_found().empty());
  EXPECT_TRUE(jobs_found().empty());
}

class deleting_orders : public testing::work_fixture {
protected:
  void SetUp() override {
    work_fixture::SetUp();
    ASSERT_TRUE(change(rules::with_queues(
      {}, {{order_pipeline(order_kind::delete_item),
            {stage("delete", job_state::processing)}},
           false})));
  }

  /// Of two objects, and all who have to agree do.
  void agree() {
    request.reference = "del-1";
    request.user = "ann";
    request.targets = {{"ann/bag", "books"}, {"ann/other", "books"}};
    request.asked_by = "operator=bob";
    request.asked_us = 1;
    ASSERT_TRUE(change({request}));
    request.inst_approver = "operator=cid";
    request.aptrust_approver = "account root";
    ASSERT_TRUE(change({request}));
  }

  /// The first of its orders, which fails and is deleted.
  item_id an_order_that_ends() {
    preservation_order what;
    what.kind = order_kind::delete_item;
    what.object = "ann/bag";
    const auto made =
      make_order(what, {.uuid = deletion_order_uuid("del-1", 0),
                        .user = "ann",
                        .collection = "books"});
    const auto reply = ask<batch_accepted>(
      core, submit_batch{.user = "ann",
                         .info = made.info,
                         .document = encode(made.document)});
    EXPECT_TRUE(reply);
    const auto name = order_pipeline(order_kind::delete_item);
    EXPECT_TRUE(says(take_from(name + ".batch"), verdict::failed, "no"));
    EXPECT_TRUE(says(take_from(name + ".report")));
    EXPECT_TRUE(order_whole(reply->id, work_action::remove));
    return reply->id;
  }

  deletion_changed request;
};

/// Else it would be queued again, and delete what has come since.
TEST_F(deleting_orders, stay_until_all_of_their_request_are_queued) {
  agree();
  const auto id = an_order_that_ends();
  auto gone = ask<batches_forgotten>(core, forget_batches{});
  ASSERT_TRUE(gone) << render(gone.error());
  EXPECT_EQ(gone->count, 0u);
  gone = ask<batches_forgotten>(core, forget_batches{id, "ann", never});
  ASSERT_FALSE(gone);
  EXPECT_NE(render(gone.error()).find("not queued yet"), std::string::npos);
  EXPECT_EQ(batches_found({.id = id}).size(), 1u);
  request.queued_us = 9;
  ASSERT_TRUE(change({request}));
  gone = ask<batches_forgotten>(core, forget_batches{});
  ASSERT_TRUE(gone) << render(gone.error());
  EXPECT_EQ(gone->count, 1u);
  EXPECT_TRUE(batches_found({.id = id}).empty());
}

TEST_F(batch_rows, R19_a_crash_before_the_first_job_leaves_it_to_be_split) {
  const auto batch = submit(3);
  ASSERT_NE(take("batch").id, 0u);
  crash_and_begin();
  EXPECT_EQ(state_of_batch(batch), "pending");
  ASSERT_TRUE(says(split(take("batch"))));
  EXPECT_EQ(jobs().size(), 3u);
  EXPECT_EQ(state_of_batch(batch), "processing");
}

TEST_F(batch_rows, R20_a_reporter_that_died_reports_under_the_same_number) {
  const auto batch = submit_and_split(1);
  run("first");
  run("middle");
  run("last");
  ASSERT_NE(take("report").id, 0u); // and it has told everybody, and dies
  crash_and_begin();
  EXPECT_EQ(run("report"), 1u);
  EXPECT_EQ(state_of_batch(batch), "completed");
  EXPECT_EQ(last_of_batch(batch).reports, 1u);
}

} // namespace

} // namespace depositd
