#include "messages/values/item_standing.hpp"

#include <gtest/gtest.h>

namespace depositd::item_standing_test {
namespace {

/// A job at "ingest06_storage".
job_row at_store(const job_status& now) {
  job_row out;
  out.info.pipeline = "aptrust";
  out.queue = "aptrust.ingest06_storage";
  out.status = now;
  return out;
}

item_standing seen(const job_row& x, bool claimed = false) {
  const auto out = standing_of(x, claimed);
  EXPECT_TRUE(out);
  return out.value_or(item_standing{});
}

TEST(item_standing, stages_and_topics_belong_together) {
  EXPECT_EQ(stage_of_topic("ingest01_prefetch"), item_stage::receive);
  EXPECT_EQ(stage_of_topic("ingest09_cleanup"), item_stage::cleanup);
  EXPECT_EQ(stage_of_topic("restore_file"), item_stage::requested);
  EXPECT_FALSE(stage_of_topic("ingest10_party"));
}

TEST(item_standing, row_p13_is_started_once_a_worker_has_it) {
  const auto x = seen(at_store({.state = job_state::storing}), true);
  EXPECT_EQ(x.status, item_status::started);
  EXPECT_EQ(x.stage, item_stage::store);
  EXPECT_TRUE(x.retry);
}

TEST(item_standing, row_p35_is_pending_while_it_waits) {
  const auto x = seen(at_store({.state = job_state::storing}));
  EXPECT_EQ(x.status, item_status::pending);
  EXPECT_TRUE(x.retry);
}

TEST(item_standing, row_p14_stays_started_when_its_attempts_run_out) {
  const auto x = seen(at_store({.state = job_state::failed,
                                .needs_review = true,
                                .note = "gave up after 3 attempts: timeout"}));
  EXPECT_EQ(x.status, item_status::started);
  EXPECT_FALSE(x.retry);
  EXPECT_TRUE(x.needs_review);
}

TEST(item_standing, row_p16_has_failed_when_its_bag_is_not_valid) {
  const auto x = seen(at_store(
    {.state = job_state::failed, .needs_review = true, .submit_again = true}));
  EXPECT_EQ(x.status, item_status::failed);
  EXPECT_FALSE(x.retry);
}

TEST(item_standing, rows_p8_and_p11_keep_how_a_rule_has_ended_it) {
  EXPECT_EQ(seen(at_store({.state = job_state::failed,
                           .submit_again = true,
                           .note = "cancelled: a newer version has come"}))
              .status,
            item_status::cancelled);
  EXPECT_EQ(seen(at_store({.state = job_state::failed,
                           .note = "suspended: the bag is gone"}))
              .status,
            item_status::suspended);
}

TEST(item_standing, row_p1_succeeds_at_the_end) {
  auto row = at_store({.state = job_state::completed});
  row.queue.clear();
  const auto x = seen(row);
  EXPECT_EQ(x.status, item_status::success);
  EXPECT_EQ(x.stage, item_stage::cleanup);
  EXPECT_FALSE(x.needs_review);
  EXPECT_FALSE(x.retry);
  row.info.pipeline = "aptrust_restore_file";
  EXPECT_EQ(seen(row).stage, item_stage::resolve);
}

TEST(item_standing, is_nothing_of_other_pipelines) {
  auto row = at_store({.state = job_state::storing});
  row.info.pipeline = "merritt";
  row.queue = "merritt.store";
  EXPECT_FALSE(standing_of(row, false));
}

} // namespace
} // namespace depositd::item_standing_test
