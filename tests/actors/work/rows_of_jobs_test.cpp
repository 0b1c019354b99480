// Rows of the case table about jobs, in one shard. Names begin with them.

#include "tests/actors/work/work_fixture.hpp"

#include <map>
#include <utility>

namespace depositd {

namespace {

class job_rows : public testing::work_fixture {
protected:
  /// A slice with one job for each of these priorities.
  outcome split_into(const std::vector<std::uint8_t>& priorities) {
    const auto item = take("batch");
    auto said = split(item);
    auto batch = decode_batch_document(item.body);
    EXPECT_TRUE(batch);
    split_slice out;
    out.expected = priorities.size();
    for (const auto priority : priorities) {
      job_document job;
      job.uuid = "jid-" + std::to_string(++batch->split);
      job.batch_uuid = batch->uuid;
      job.user = item.user;
      job.collection = batch->collection;
      job.first_priority = job.priority = priority;
      out.jobs.push_back(std::move(job));
    }
    out.last = true;
    out.batch = std::move(*batch);
    said.document = encode(out);
    return said;
  }
};

TEST_F(job_rows, J01_a_job_begins_pending_and_belongs_to_its_batch) {
  const auto batch = submit_and_split(1);
  const auto rows = jobs_found({.batch = batch});
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].status.state, job_state::pending);
  EXPECT_EQ(rows[0].status.last_successful, job_state::none);
  EXPECT_EQ(rows[0].status.retry_count, 0u);
  EXPECT_EQ(rows[0].priority, 5);
  EXPECT_EQ(rows[0].queue, "p.first");
  EXPECT_EQ(report_of("p.first").items, 1u);
  EXPECT_EQ(last_of_batch(batch).jobs.open, 1u);
}

TEST_F(job_rows, J02_J03_whoever_does_a_stage_moves_the_job_as_a_whole) {
  submit_and_split(1);
  const auto first = take("first");
  kill_worker_of(first.id);
  ASSERT_TRUE(says(take("first"))) << "by another worker";
  EXPECT_EQ(report_of("p.first").items, 0u);
  EXPECT_EQ(report_of("p.middle").items, 1u);
  const auto rows = jobs_found();
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].queue, "p.middle");
}

TEST_F(job_rows, J04_one_job_is_handed_out_once_in_a_stage) {
  submit_and_split(1);
  const auto item = take("first");
  ASSERT_NE(item.id, 0u);
  EXPECT_EQ(take("first").id, 0u);
  ASSERT_TRUE(says(item));
  EXPECT_EQ(take("first").id, 0u);
}

TEST_F(job_rows, J05_the_lowest_number_of_priority_is_first) {
  submit(3);
  ASSERT_TRUE(says(split_into({5, 2, 5})));
  const auto all = jobs();
  EXPECT_EQ(take("first").id, all[1]);
  EXPECT_EQ(take("first").id, all[0]) << "and then by number";
  EXPECT_EQ(take("first").id, all[2]);
}

TEST_F(job_rows, J08_J09_J10_a_worker_gets_the_document_as_it_was_made) {
  submit(1);
  const auto item = take("batch");
  auto batch = decode_batch_document(item.body);
  ASSERT_TRUE(batch);
  split_slice out;
  job_document job;
  job.uuid = "jid-1";
  job.user = "ann";
  job.collection = "books";
  job.payload.url = "http://example.org/a";
  job.what.local_ids = {"g", "h"};
  job.what.creator = "who";
  job.what.title = "what";
  job.what.date = "when";
  job.erc = {{"where", "there"}};
  out.jobs = {job};
  out.expected = 1;
  out.last = true;
  out.batch = std::move(*batch);
  auto said = outcome_of(item);
  said.document = encode(out);
  ASSERT_TRUE(says(said));
  crash_and_begin();
  const auto read = decode_job_document(take("first").body);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->what.local_ids, job.what.local_ids);
  EXPECT_EQ(read->erc, job.erc);
  EXPECT_EQ(read->payload.url, job.payload.url);
  const auto rows = jobs_found({.local_id = "h"});
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].facts.local_ids, "g;h");
  EXPECT_EQ(rows[0].facts.creator, "who");
  EXPECT_EQ(rows[0].facts.title, "what");
}

TEST_F(job_rows, J12_a_job_is_held_and_pending_and_goes_on) {
  submit_and_split(1);
  const auto job = jobs()[0];
  ASSERT_TRUE(order(job, work_action::hold));
  EXPECT_EQ(state_of(job), "held");
  EXPECT_EQ(take("first").id, 0u);
  ASSERT_TRUE(order(job, work_action::release));
  EXPECT_EQ(state_of(job), "pending");
  EXPECT_EQ(run("first"), 1u);
}

TEST_F(job_rows, J19_a_job_requeued_while_a_report_runs_counts_once) {
  const auto batch = submit_and_split(2);
  ASSERT_TRUE(says(take("first"), verdict::failed, "bad"));
  EXPECT_EQ(run("first") + run("middle") + run("last"), 3u);
  const auto report = take("report");
  ASSERT_TRUE(order(jobs()[0], work_action::requeue));
  ASSERT_TRUE(says(report));
  const auto counts = last_of_batch(batch).jobs;
  EXPECT_EQ(counts.total(), 2u);
  EXPECT_EQ(counts.open, 1u);
  EXPECT_EQ(counts.completed, 1u);
  EXPECT_EQ(state_of_batch(batch), "failed");
  EXPECT_EQ(report_of("p.first").items, 1u);
}

TEST_F(job_rows, J25_fifty_workers_get_each_job_once_in_each_stage) {
  constexpr std::size_t count = 400;
  submit_and_split(count);
  for (const auto* stage : {"first", "middle", "last"}) {
    std::map<item_id, int> seen;
    std::vector<item_id> last(50);
    std::vector<testing::test_processor> workers;
    for (int i = 0; i < 50; ++i)
      workers.push_back(attach_to(std::string{"p."} + stage));
    for (std::size_t round = 0; round < count / 50; ++round) {
      for (const auto& who : workers)
        caf::anon_send(who.door, settle_and_request{who.number, 1, {}});
      settle();
      for (std::size_t i = 0; i < workers.size(); ++i) {
        const auto& who = workers[i];
        auto& items = who.got->items;
        for (const auto& item : items) {
          EXPECT_GT(item.id, std::exchange(last[i], item.id)) << stage;
          ++seen[item.id];
          caf::anon_send(who.door,
                         settle_and_request{who.number, 0, {outcome_of(item)}});
        }
        items.clear();
      }
      settle();
    }
    EXPECT_EQ(seen.size(), count) << stage;
    for (const auto& [id, times] : seen)
      EXPECT_EQ(times, 1) << stage << ' ' << id;
  }
  EXPECT_EQ(run("report"), 1u);
}

TEST_F(job_rows, J29_jobs_of_a_host_that_goes_are_served_by_another) {
  submit_and_split(3);
  const auto of_a = take("first");
  kill_worker_of(of_a.id);
  EXPECT_EQ(run("first"), 3u);
  for (const auto id : jobs())
    EXPECT_EQ(state_of(id), "processing");
}

TEST_F(job_rows, S07_a_lease_that_is_renewed_is_not_lost_by_time) {
  submit_and_split(1);
  const auto item = take("first", 1000);
  for (int i = 0; i < 20; ++i) {
    advance(std::chrono::milliseconds{800});
    renew(item);
  }
  EXPECT_EQ(take("first").id, 0u);
  EXPECT_TRUE(says(item));
}

} // namespace

} // namespace depositd
