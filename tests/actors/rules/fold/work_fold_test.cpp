// What slices say of batches and jobs.

#include "actors/rules/fold/slice_fold.hpp"

#include "tests/actors/rules/fold/random_journal.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace depositd {
namespace {

using testing::claimed;
using testing::enqueued;

constexpr const char* batches = "p.batch";
constexpr const char* first = "p.first";
constexpr const char* second = "p.second";

const job_facts known{.identifier = "ark:/1/2", .title = "Map"};

class work_fold : public ::testing::Test {
protected:
  work_fold() {
    for (const auto* queue : {batches, first, second})
      fold.without_submissions(queue);
  }

  void add(const std::vector<event>& events) {
    fold.add({"U", events});
  }

  static std::vector<event> a_batch(item_id id) {
    return {enqueued(id, batches),
            batch_received{id, batches, 50, {"bid-1", "C", "p"}}};
  }

  static std::vector<event> a_job(item_id id, item_id batch) {
    return {enqueued(id, first),
            job_created{id,
                        first,
                        batch,
                        60,
                        {"jid-1", "C", "p", job_type::file, "f"},
                        known,
                        {job_state::pending}}};
  }

  static job_moved moved(item_id id, const item_place& place,
                         job_state state = job_state::storing) {
    return {id, first, 1, place, {state}, false, {}};
  }

  rules::slice_fold fold{10};
};

TEST_F(work_fold, a_new_batch_is_a_row_beside_its_item) {
  add(a_batch(5));
  const auto x = fold.take();
  batch_row row;
  row.id = 5;
  row.user = "U";
  row.info = {"bid-1", "C", "p"};
  row.received_us = 50;
  row.queue = batches;
  row.status = {batch_state::pending, 50, ""};
  EXPECT_EQ(x.batches_put, std::vector<batch_row>{row});
  ASSERT_EQ(x.items_put.size(), 1u);
  EXPECT_EQ(x.items_put[0].queue, batches);
  EXPECT_EQ(x.last, 12u);
  EXPECT_EQ(x.id_max, 5u);
}

TEST_F(work_fold, a_batch_that_moved_at_once_is_a_row_where_it_is) {
  add(a_batch(5));
  add({batch_moved{5,
                   batches,
                   {second, 7, true, 2},
                   {batch_state::processing, 70, "n"},
                   {.expected = 3},
                   1}});
  add({batch_counted{5, {.expected = 3, .open = 2}}});
  const auto x = fold.take();
  EXPECT_TRUE(x.batches_changed.empty());
  ASSERT_EQ(x.batches_put.size(), 1u);
  EXPECT_EQ(x.batches_put[0].queue, second);
  EXPECT_EQ(x.batches_put[0].status,
            (batch_status{batch_state::processing, 70, "n"}));
  EXPECT_EQ(x.batches_put[0].jobs, (job_counts{.expected = 3, .open = 2}));
  EXPECT_EQ(x.batches_put[0].reports, 1u);
  ASSERT_EQ(x.items_put.size(), 1u);
  EXPECT_EQ(x.items_put[0].queue, second);
  EXPECT_EQ(x.items_put[0].priority, 7u);
  EXPECT_EQ(x.items_put[0].state, item_state::parked);
  EXPECT_EQ(x.items_put[0].attempt, 2u);
}

TEST_F(work_fold, an_older_batch_that_moved_is_a_change_with_the_last_counts) {
  add({batch_moved{5, batches, {second, 7}, {batch_state::reporting}, {}, 4},
       batch_counted{5, {.expected = 3, .failed = 1}}});
  const auto x = fold.take();
  batch_change change;
  change.id = 5;
  change.has_move = true;
  change.queue = second;
  change.status = {batch_state::reporting};
  change.reports = 4;
  change.jobs = {.expected = 3, .failed = 1};
  EXPECT_EQ(x.batches_changed, std::vector<batch_change>{change});
  ASSERT_EQ(x.items_changed.size(), 1u);
  EXPECT_TRUE(x.items_changed[0].has_claim_state);
  EXPECT_TRUE(x.items_changed[0].has_queue);
  EXPECT_TRUE(x.items_changed[0].has_priority);
  EXPECT_EQ(x.items_changed[0].queue, second);
  EXPECT_EQ(x.items_changed[0].priority, 7u);
}

TEST_F(work_fold, a_batch_whose_jobs_are_counted_stays_where_it_is) {
  add({batch_counted{5, {.open = 2}}, batch_counted{5, {.open = 1}}});
  const auto x = fold.take();
  batch_change change;
  change.id = 5;
  change.jobs = {.open = 1};
  EXPECT_EQ(x.batches_changed, std::vector<batch_change>{change});
  EXPECT_TRUE(x.items_changed.empty());
}

TEST_F(work_fold, a_new_job_has_the_priority_of_its_item) {
  add(a_job(6, 5));
  const auto x = fold.take();
  job_row row;
  row.id = 6;
  row.batch = 5;
  row.user = "U";
  row.info = {"jid-1", "C", "p", job_type::file, "f"};
  row.created_us = 60;
  row.queue = first;
  row.priority = 3;
  row.status = {job_state::pending};
  row.facts = known;
  EXPECT_EQ(x.jobs_put, std::vector<job_row>{row});
  ASSERT_EQ(x.items_put.size(), 1u);
}

TEST_F(work_fold, a_job_that_moved_at_once_is_a_row_where_it_is) {
  add(a_job(6, 5));
  add({moved(6, {second, 8, false, 1, 99})});
  const auto x = fold.take();
  EXPECT_TRUE(x.jobs_changed.empty());
  ASSERT_EQ(x.jobs_put.size(), 1u);
  EXPECT_EQ(x.jobs_put[0].queue, second);
  EXPECT_EQ(x.jobs_put[0].priority, 8u);
  EXPECT_EQ(x.jobs_put[0].attempt, 1u);
  EXPECT_EQ(x.jobs_put[0].status.state, job_state::storing);
  EXPECT_EQ(x.jobs_put[0].facts, known);
  ASSERT_EQ(x.items_put.size(), 1u);
  EXPECT_EQ(x.items_put[0].state, item_state::delayed);
  EXPECT_EQ(x.items_put[0].available_us, 99);
}

TEST_F(work_fold, a_move_ends_the_claim_of_an_older_job) {
  auto claim = claimed(6);
  claim.queue = first;
  add({claim, moved(6, {second, 8, false, 2})});
  const auto x = fold.take();
  item_change change;
  change.id = 6;
  change.attempt = 2;
  change.has_claim_state = true;
  change.has_queue = true;
  change.has_priority = true;
  change.priority = 8;
  change.queue = second;
  EXPECT_EQ(x.items_changed, std::vector<item_change>{change});
  job_change moved;
  moved.id = 6;
  moved.queue = second;
  moved.priority = 8;
  moved.attempt = 2;
  moved.status = {job_state::storing};
  EXPECT_EQ(x.jobs_changed, std::vector<job_change>{moved});
  EXPECT_TRUE(x.submissions_changed.empty());
}

TEST_F(work_fold, a_job_is_parked_or_delayed_as_its_place_says) {
  add({moved(6, {second, 8, true, 2, 99}), moved(7, {second, 8, false, 2, 99}),
       moved(8, {second, 8, false, 2})});
  const auto x = fold.take();
  ASSERT_EQ(x.items_changed.size(), 3u);
  EXPECT_EQ(x.items_changed[0].state, item_state::parked);
  EXPECT_EQ(x.items_changed[0].available_us, never);
  EXPECT_EQ(x.items_changed[1].state, item_state::delayed);
  EXPECT_EQ(x.items_changed[1].available_us, 99);
  EXPECT_EQ(x.items_changed[2].state, item_state::pending);
  EXPECT_EQ(x.items_changed[2].available_us, never);
}

TEST_F(work_fold, a_job_that_moved_to_nowhere_leaves_its_row) {
  add({moved(6, {}, job_state::completed)});
  auto x = fold.take();
  EXPECT_EQ(x.items_gone, std::vector<item_id>{6});
  EXPECT_TRUE(x.items_changed.empty());
  ASSERT_EQ(x.jobs_changed.size(), 1u);
  EXPECT_EQ(x.jobs_changed[0].queue, "");
  EXPECT_EQ(x.jobs_changed[0].status.state, job_state::completed);
  EXPECT_TRUE(x.submissions_changed.empty()) << "its queue has none";
  add(a_job(7, 5));
  add({moved(7, {}, job_state::completed)});
  x = fold.take();
  EXPECT_TRUE(x.items_put.empty());
  EXPECT_TRUE(x.items_gone.empty());
  ASSERT_EQ(x.jobs_put.size(), 1u);
  EXPECT_EQ(x.jobs_put[0].queue, "");
}

TEST_F(work_fold, what_is_nowhere_and_moves_there_has_no_item_to_lose) {
  auto noted = moved(6, {}, job_state::completed);
  noted.queue.clear();
  add({noted});
  const auto x = fold.take();
  EXPECT_TRUE(x.items_gone.empty());
  EXPECT_EQ(x.jobs_changed.size(), 1u);
}

TEST_F(work_fold, new_facts_stay_when_a_later_move_says_none) {
  auto found = moved(6, {second});
  found.has_facts = true;
  found.facts = known;
  add({found, moved(6, {first, 0, false, 1})});
  const auto x = fold.take();
  ASSERT_EQ(x.jobs_changed.size(), 1u);
  EXPECT_TRUE(x.jobs_changed[0].has_facts);
  EXPECT_EQ(x.jobs_changed[0].facts, known);
  EXPECT_EQ(x.jobs_changed[0].queue, first);
  EXPECT_EQ(x.jobs_changed[0].attempt, 1u);
}

TEST_F(work_fold, a_forgotten_batch_takes_its_rows_of_this_slice_along) {
  add(a_batch(5));
  add(a_job(6, 5));
  add(a_job(7, 4));
  add({batch_moved{5, batches, {}, {batch_state::deleted}, {}, 0},
       moved(6, {}, job_state::deleted), batch_forgotten{5},
       batch_forgotten{3}});
  const auto x = fold.take();
  EXPECT_EQ(x.batches_gone, (std::vector<item_id>{3, 5}));
  EXPECT_TRUE(x.batches_put.empty());
  EXPECT_TRUE(x.batches_changed.empty());
  ASSERT_EQ(x.jobs_put.size(), 1u);
  EXPECT_EQ(x.jobs_put[0].id, 7u);
  EXPECT_TRUE(x.items_gone.empty());
  ASSERT_EQ(x.items_put.size(), 1u);
  EXPECT_EQ(x.items_put[0].id, 7u);
}

TEST_F(work_fold, begins_anew_with_every_slice) {
  add(a_batch(5));
  add(a_job(6, 5));
  fold.take();
  add({batch_counted{5, {.open = 1}}, moved(6, {second})});
  auto x = fold.take();
  EXPECT_TRUE(x.batches_put.empty());
  EXPECT_TRUE(x.jobs_put.empty());
  EXPECT_EQ(x.batches_changed.size(), 1u);
  EXPECT_EQ(x.jobs_changed.size(), 1u);
  add({batch_forgotten{5}});
  x = fold.take();
  EXPECT_TRUE(x.batches_changed.empty());
  EXPECT_TRUE(x.jobs_changed.empty());
  EXPECT_EQ(x.batches_gone, std::vector<item_id>{5});
  EXPECT_TRUE(fold.take().batches_gone.empty());
}

} // namespace
} // namespace depositd
