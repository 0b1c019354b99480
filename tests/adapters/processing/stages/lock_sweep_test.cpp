#include "adapters/processing/stages/lock_sweep.hpp"

#include "tests/support/memory_inventory.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace depositd::stages {

namespace {

constexpr micros second = 1'000'000;
constexpr micros start = 1'700'000'000 * second;

/// Jobs by state and time, page by page.
class written_jobs final : public work_reader {
public:
  caf::expected<std::vector<batch_row>> batches(const batch_query&) override {
    return std::vector<batch_row>{};
  }

  caf::expected<std::vector<job_row>> jobs(const job_query& x) override {
    if (fails)
      return caf::make_error(ec::store_failed, "no tables");
    std::vector<job_row> out;
    for (const auto& row : rows)
      if (out.size() < x.count_max
          && std::count(x.states.begin(), x.states.end(), row.status.state) > 0
          && row.status.changed_us >= x.changed_since_us
          && (x.after.empty() || row.id > x.after.front()))
        out.push_back(row);
    return out;
  }

  caf::expected<std::vector<submission_row>>
  submissions(const submission_query&) override {
    return std::vector<submission_row>{};
  }

  std::vector<job_row> rows; ///< by their numbers
  bool fails = false;
};

class lock_sweep_test : public ::testing::Test {
protected:
  /// A job that has a lock.
  void add_job(item_id id, job_state state, micros changed_us = start) {
    job_row row;
    row.id = id;
    row.info.uuid = "jid-" + std::to_string(id);
    row.status.state = state;
    row.status.changed_us = changed_us;
    lock(row.info.uuid);
    work->rows.push_back(std::move(row));
  }

  void lock(const std::string& uuid, std::uint64_t token = 7) {
    const auto taken =
      locks->lock({"object of " + uuid, uuid, token, start * 2}, start);
    EXPECT_TRUE(taken && *taken);
  }

  std::shared_ptr<written_jobs> work = std::make_shared<written_jobs>();
  std::shared_ptr<memory_inventory> locks =
    std::make_shared<memory_inventory>();
  micros now = start + second;
  lock_sweep sweep{{work, locks, locks, [this] { return now; }, 2}};
};

TEST_F(lock_sweep_test, gives_up_the_locks_of_what_was_deleted) {
  add_job(1, job_state::held);
  ASSERT_TRUE(sweep.run());
  EXPECT_EQ(locks->locks(), 1u) << "it may go on";
  work->rows[0].status.state = job_state::deleted;
  work->rows[0].status.changed_us = now;
  now += second;
  ASSERT_TRUE(sweep.run());
  EXPECT_EQ(locks->locks(), 0u);
}

TEST_F(lock_sweep_test, leaves_alone_all_others) {
  add_job(2, job_state::pending);
  add_job(3, job_state::held);
  add_job(4, job_state::storing);
  ASSERT_TRUE(sweep.run());
  ASSERT_TRUE(sweep.run());
  EXPECT_EQ(locks->locks(), 3u);
}

TEST_F(lock_sweep_test, H10_frees_those_of_a_job_that_was_failed_by_order) {
  add_job(1, job_state::failed);
  ASSERT_TRUE(sweep.run());
  EXPECT_EQ(locks->locks(), 1u) << "it may have been requeued just now";
  now += second;
  ASSERT_TRUE(sweep.run());
  EXPECT_EQ(locks->locks(), 0u);
}

TEST_F(lock_sweep_test, leaves_alone_those_of_a_job_that_was_requeued) {
  add_job(1, job_state::failed);
  ASSERT_TRUE(sweep.run());
  // The row is old: somebody works on the job by now, by a later claim.
  lock("jid-1", 8);
  ASSERT_TRUE(sweep.run());
  EXPECT_EQ(locks->locks(), 1u);
  work->rows[0].status.state = job_state::storing;
  ASSERT_TRUE(sweep.run());
  // And fails again, by order.
  work->rows[0].status.state = job_state::failed;
  work->rows[0].status.changed_us = now;
  ASSERT_TRUE(sweep.run());
  EXPECT_EQ(locks->locks(), 1u);
  ASSERT_TRUE(sweep.run());
  EXPECT_EQ(locks->locks(), 0u);
}

TEST_F(lock_sweep_test, frees_deleted_ones_only_where_claims_are_not_told) {
  lock_sweep plain{{work, locks, nullptr, [this] { return now; }, 2}};
  add_job(1, job_state::failed);
  add_job(2, job_state::deleted);
  ASSERT_TRUE(plain.run());
  ASSERT_TRUE(plain.run());
  EXPECT_EQ(locks->locks(), 1u);
}

TEST_F(lock_sweep_test, sees_all_of_very_many) {
  for (item_id id = 1; id <= 7; ++id)
    add_job(id, job_state::deleted);
  ASSERT_TRUE(sweep.run());
  EXPECT_EQ(locks->locks(), 0u);
}

TEST_F(lock_sweep_test, repeats_nothing_but_what_failed) {
  add_job(1, job_state::deleted);
  work->fails = true;
  EXPECT_FALSE(sweep.run());
  EXPECT_EQ(locks->locks(), 1u);
  work->fails = false;
  now += 3'000 * second;
  ASSERT_TRUE(sweep.run());
  EXPECT_EQ(locks->locks(), 0u);
  lock("jid-1"); // so that it shows whether it is done again
  now += second;
  ASSERT_TRUE(sweep.run());
  EXPECT_EQ(locks->locks(), 1u);
}

TEST_F(lock_sweep_test, a_clock_that_is_behind_hides_nothing) {
  ASSERT_TRUE(sweep.run());
  add_job(1, job_state::deleted, now - 60 * second);
  ASSERT_TRUE(sweep.run());
  EXPECT_EQ(locks->locks(), 0u);
}

} // namespace

} // namespace depositd::stages
