#pragma once

// What every projection store must do with batches and jobs.

#include "tests/contract/projection_store_fixture.hpp"

namespace depositd {

TEST_P(projection_store_suite, gives_batches_and_jobs_back_as_they_were_put) {
  auto odd = a_job(3, 1);
  odd.facts.space_needed = -1;
  odd.facts.title = std::string{"\xe4\0'%_\\\n", 7};
  put_work({a_batch(1)}, {a_job(2, 1), odd, fresh(a_job(4, 1))});
  EXPECT_EQ(batch(1), a_batch(1));
  EXPECT_EQ(job(2), a_job(2, 1));
  EXPECT_EQ(job(3), odd);
  EXPECT_EQ(job(4), fresh(a_job(4, 1)));
  EXPECT_TRUE(jobs({.id = 1}).empty());
  EXPECT_TRUE(batches({.id = 2}).empty());
}

TEST_P(projection_store_suite, moves_a_batch_or_only_counts_its_jobs) {
  put_work({a_batch(1), a_batch(2)});
  const job_counts counts{.expected = 9, .open = 4, .failed = 5};
  const batch_status reporting{
    .state = batch_state::reporting, .changed_us = 77, .note = "ä note"};
  change_work({{.id = 1, .queue = "not this", .reports = 8, .jobs = counts},
               {.id = 2,
                .has_move = true,
                .queue = "merritt.report",
                .status = reporting,
                .reports = 3,
                .jobs = counts}});
  auto counted = a_batch(1);
  counted.jobs = counts;
  auto moved = a_batch(2);
  moved.jobs = counts;
  moved.queue = "merritt.report";
  moved.status = reporting;
  moved.reports = 3;
  EXPECT_EQ(batch(1), counted);
  EXPECT_EQ(batch(2), moved);
}

TEST_P(projection_store_suite, moves_a_job_and_its_facts_if_there_are_new) {
  put_work({a_batch(1)}, {a_job(2, 1), a_job(3, 1)});
  const job_status failed{.state = job_state::failed,
                          .last_successful = job_state::downloading,
                          .retry_count = 2,
                          .needs_review = true,
                          .changed_us = 88,
                          .note = "no",
                          .deaths = 4};
  const job_facts facts{.identifier = "ark:/9/new", .title = "Another"};
  change_work({}, {{.id = 2,
                    .queue = "merritt.process",
                    .priority = 7,
                    .attempt = 5,
                    .status = failed,
                    .facts = facts},
                   {.id = 3,
                    .queue = "merritt.process",
                    .status = failed,
                    .has_facts = true,
                    .facts = facts}});
  auto moved = a_job(2, 1);
  moved.queue = "merritt.process";
  moved.priority = 7;
  moved.attempt = 5;
  moved.status = failed;
  EXPECT_EQ(job(2), moved);
  EXPECT_EQ(job(3).facts, facts);
  EXPECT_EQ(jobs({.identifier = "ark:/9/new"}), ids_list{3});
  EXPECT_TRUE(jobs({.identifier = a_job(3, 1).facts.identifier}).empty());
  EXPECT_EQ(jobs({.states = {job_state::failed}}), (ids_list{2, 3}));
  EXPECT_TRUE(jobs({.states = {job_state::storing}}).empty());
}

TEST_P(projection_store_suite, puts_and_changes_work_of_one_slice) {
  auto x = next_slice();
  x.batches_put = {a_batch(1)};
  x.batches_changed = {{.id = 1, .jobs = {.expected = 1}}};
  x.jobs_put = {a_job(2, 1)};
  x.jobs_changed = {{.id = 2, .queue = "q", .attempt = 1},
                    {.id = 2, .queue = "r", .attempt = 2}};
  apply(x);
  EXPECT_EQ(batch(1).jobs.expected, 1u);
  EXPECT_EQ(job(2).queue, "r");
  EXPECT_EQ(job(2).attempt, 2u);
}

TEST_P(projection_store_suite, refuses_work_that_is_missing_or_there_twice) {
  put_work({a_batch(1)}, {a_job(2, 1)});
  std::vector<slice> wrong(4, next_slice());
  wrong[0].batches_put = {a_batch(1, "bob")};
  wrong[1].jobs_put = {a_job(2, 1, "bob")};
  wrong[2].batches_changed = {{.id = 2}};
  wrong[3].jobs_changed = {{.id = 1}};
  for (auto& x : wrong) {
    x.items_put = {an_item(9)};
    const auto done = store->apply(x);
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error(), ec::store_damaged);
  }
  EXPECT_EQ(batch(1), a_batch(1));
  EXPECT_EQ(job(2), a_job(2, 1));
  EXPECT_EQ(store->item(9).error(), ec::not_found);
}

TEST_P(projection_store_suite, loads_only_work_whose_item_lives) {
  put_work({ended(a_batch(1)), a_batch(2), a_batch(3)},
           {a_job(4, 1), ended(a_job(5, 2)), a_job(7, 3), a_job(6, 3)});
  // One ends, one that had ended is opened again.
  change_work({{.id = 3, .has_move = true},
               {.id = 1, .has_move = true, .queue = "merritt.report"}},
              {{.id = 6}, {.id = 5, .queue = "merritt.store"}});
  std::vector<batch_row> live;
  EXPECT_FALSE(
    store->load_batches([&](const batch_row& x) { live.push_back(x); }));
  EXPECT_EQ(live, (std::vector{batch(1), batch(2)}));
  ids_list live_jobs;
  EXPECT_FALSE(
    store->load_jobs([&](const job_row& x) { live_jobs.push_back(x.id); }));
  EXPECT_EQ(live_jobs, (ids_list{4, 5, 7}));
  EXPECT_EQ(batches({.newest_first = false}), (ids_list{1, 2, 3}));
  EXPECT_EQ(jobs({}), (ids_list{4, 5, 6, 7}));
}

TEST_P(projection_store_suite, forgets_a_batch_with_all_its_jobs) {
  put_work({a_batch(1), a_batch(2), ended(a_batch(3))},
           {a_job(4, 1), a_job(5, 2), ended(a_job(6, 1)), a_job(7, 3)});
  auto x = next_slice();
  x.batches_gone = {3, 1, 99};
  x.jobs_changed = {{.id = 4, .queue = "q"}};
  apply(x);
  EXPECT_EQ(batches({}), ids_list{2});
  EXPECT_EQ(jobs({}), ids_list{5});
  EXPECT_TRUE(jobs({.uuid = "jid-4"}).empty());
  ids_list loaded;
  const auto keep = [&](const auto& row) { loaded.push_back(row.id); };
  EXPECT_FALSE(store->load_batches(keep));
  EXPECT_FALSE(store->load_jobs(keep));
  EXPECT_EQ(loaded, (ids_list{2, 5}));
}

TEST_P(projection_store_suite, takes_as_much_work_as_a_slice_has) {
  constexpr item_id count = 10'000;
  auto x = next_slice();
  for (item_id id = 1; id <= count; ++id)
    x.jobs_put.push_back(a_job(id, 1));
  apply(x);
  x = next_slice();
  for (item_id id = 1; id <= count; ++id)
    x.jobs_changed.push_back(
      {.id = id, .queue = "q", .has_facts = id % 2 == 0});
  apply(x);
  std::uint64_t loaded = 0;
  ASSERT_FALSE(store->load_jobs([&](const job_row&) { ++loaded; }));
  EXPECT_EQ(loaded, count);
  EXPECT_EQ(jobs({.identifier = "ark:/1/9999"}), ids_list{9999});
  x = next_slice();
  x.batches_gone = {1};
  apply(x);
  EXPECT_TRUE(jobs({}).empty());
}

} // namespace depositd
