#include "adapters/processing/aptrust/arriving.hpp"
#include "adapters/processing/aptrust/premis.hpp"
#include "adapters/processing/aptrust/work_item.hpp"

#include <gtest/gtest.h>

#include <set>

namespace depositd::aptrust {
namespace {

work_item a_full_item() {
  work_item out;
  out.name = "photos.tar";
  out.etag = "d41d8";
  out.bucket = "receiving-test";
  out.size = 12'345;
  out.bag_date = 1'772'357'400'000'000;
  out.institution = "test.edu";
  out.object = "test.edu/photos";
  out.file = "data/a.tif";
  out.user = "ann";
  out.inst_approver = "bob";
  out.aptrust_approver = "eve";
  out.deletion_request = "77";
  out.action = item_action::restore_file;
  out.stage = item_stage::storage_validation;
  out.status = item_status::suspended;
  out.outcome = "suspended";
  out.note = "the bag is gone";
  out.retry = false;
  out.needs_admin_review = true;
  out.node = "worker-1";
  out.pid = 42;
  out.queued_at = 1'772'357'401'000'000;
  out.date_processed = 1'772'357'402'000'000;
  out.stage_started_at = 1'772'357'403'000'000;
  out.created_at = 1'772'357'404'000'000;
  out.updated_at = 1'772'357'405'000'000;
  return out;
}

TEST(work_item, keeps_all_fields_in_a_document) {
  nlohmann::json more{{"other", 1}};
  put_work_item(more, a_full_item());
  EXPECT_EQ(more["other"], 1);
  EXPECT_EQ(more[work_item_member]["stage"], "Storage Validation");
  EXPECT_EQ(more[work_item_member]["status"], "Suspended");
  const auto again = work_item_in(more);
  ASSERT_TRUE(again && *again);
  EXPECT_EQ(**again, a_full_item());
}

TEST(work_item, keeps_an_empty_one_too) {
  nlohmann::json more = nlohmann::json::object();
  put_work_item(more, {});
  const auto again = work_item_in(more);
  ASSERT_TRUE(again && *again);
  EXPECT_EQ(**again, work_item{});
}

TEST(work_item, need_not_be_there) {
  const auto none = work_item_in({{"other", 1}});
  ASSERT_TRUE(none);
  EXPECT_FALSE(*none);
}

TEST(work_item, says_what_cannot_be_read) {
  for (const auto* text :
       {R"([])", R"({"stage": "Nowhere"})", R"({"size": "big"})",
        R"({"queued_at": "yesterday"})", R"({"retry": 1})"})
    EXPECT_EQ(work_item_of(nlohmann::json::parse(text)).error(), ec::malformed)
      << text;
}

TEST(work_item, stages_and_topics_belong_together) {
  for (std::size_t i = 0; i < ingest_stage_count; ++i) {
    const auto stage = static_cast<item_stage>(i);
    EXPECT_EQ(stage_of_topic(topic_of(stage)), stage);
  }
  EXPECT_EQ(topic_of(item_stage::receive), "ingest01_prefetch");
  EXPECT_EQ(topic_of(item_stage::cleanup), "ingest09_cleanup");
  EXPECT_EQ(stage_of_topic("restore_file"), item_stage::requested);
  EXPECT_FALSE(stage_of_topic("ingest10_party"));
}

// -- what people see ----------------------------------------------------------

work_item seen(const job_status& now, bool claimed = false) {
  auto item = a_full_item();
  item.status = item_status::pending;
  return seen_in(std::move(item), now, item_stage::store, claimed);
}

TEST(work_item, row_p13_is_started_once_a_worker_has_it) {
  const auto x = seen({.state = job_state::storing}, true);
  EXPECT_EQ(x.status, item_status::started);
  EXPECT_EQ(x.stage, item_stage::store);
  EXPECT_EQ(x.node, "worker-1");
  EXPECT_EQ(x.pid, 42);
}

TEST(work_item, row_p35_is_pending_while_it_waits) {
  const auto x = seen({.state = job_state::storing});
  EXPECT_EQ(x.status, item_status::pending);
  EXPECT_TRUE(x.retry);
  EXPECT_TRUE(x.node.empty());
  EXPECT_EQ(x.pid, 0);
}

TEST(work_item, row_p14_stays_started_when_its_attempts_run_out) {
  const auto x = seen({.state = job_state::failed,
                       .needs_review = true,
                       .note = "gave up after 3 attempts: timeout"});
  EXPECT_EQ(x.status, item_status::started);
  EXPECT_FALSE(x.retry);
  EXPECT_TRUE(x.needs_admin_review);
  EXPECT_EQ(x.note, "gave up after 3 attempts: timeout");
}

TEST(work_item, row_p16_has_failed_when_its_bag_is_not_valid) {
  const auto x = seen(
    {.state = job_state::failed, .needs_review = true, .submit_again = true});
  EXPECT_EQ(x.status, item_status::failed);
  EXPECT_FALSE(x.retry);
}

TEST(work_item, row_p8_stays_cancelled) {
  auto item = a_full_item();
  item.status = item_status::cancelled;
  const auto x =
    seen_in(std::move(item), {.state = job_state::failed, .submit_again = true},
            item_stage::receive, false);
  EXPECT_EQ(x.status, item_status::cancelled);
}

TEST(work_item, row_p1_succeeds_at_the_end) {
  const auto x = seen({.state = job_state::completed});
  EXPECT_EQ(x.status, item_status::success);
  EXPECT_FALSE(x.needs_admin_review);
  EXPECT_FALSE(x.retry);
}

// -- events -------------------------------------------------------------------

TEST(premis_events, are_the_same_for_the_same_work) {
  const premis_scene scene{"test.edu/photos", "test.edu", "jid-1", "depositd",
                           1'000};
  auto later = scene;
  later.at_us = 2'000;
  const premis_facts facts{.type = premis_types::ingestion,
                           .detail = "stored in local",
                           .file = "data/a"};
  EXPECT_EQ(make_event(scene, facts).id, make_event(later, facts).id);
  EXPECT_EQ(make_event(scene, facts).outcome, premis_success);
}

TEST(premis_events, differ_for_other_work) {
  const premis_scene scene{"o", "u", "jid-1", "depositd", 1'000};
  auto other_job = scene;
  other_job.job = "jid-2";
  auto other_object = scene;
  other_object.object = "p";
  const premis_facts facts{.type = premis_types::ingestion, .detail = "d"};
  auto of_file = facts;
  of_file.file = "data/a";
  auto other_type = facts;
  other_type.type = premis_types::fixity_check;
  auto other_detail = facts;
  other_detail.detail = "e";
  const std::set<std::string> ids{
    make_event(scene, facts).id,        make_event(other_job, facts).id,
    make_event(other_object, facts).id, make_event(scene, of_file).id,
    make_event(scene, other_type).id,   make_event(scene, other_detail).id};
  EXPECT_EQ(ids.size(), 6u);
}

// -- bags that are found ------------------------------------------------------

TEST(arrivals, row_p34_makes_an_item_of_a_new_bag) {
  EXPECT_EQ(decide_arrival({.last = last_item::none}), arrival::create);
}

TEST(arrivals, row_p34_skips_what_is_pending_or_has_failed) {
  EXPECT_EQ(decide_arrival({.last = last_item::unfinished}), arrival::skip);
  EXPECT_EQ(decide_arrival({.last = last_item::failed}), arrival::skip);
  EXPECT_EQ(decide_arrival({.last = last_item::failed, .object_active = true}),
            arrival::skip);
}

TEST(arrivals, row_p34_looks_at_the_object_of_what_is_finished) {
  EXPECT_EQ(
    decide_arrival({.last = last_item::succeeded, .object_active = true}),
    arrival::skip);
  EXPECT_EQ(decide_arrival({.last = last_item::succeeded}), arrival::create);
}

TEST(arrivals, takes_away_bags_that_failed_long_ago) {
  EXPECT_EQ(decide_arrival({.last = last_item::failed, .past_retention = true}),
            arrival::remove);
  EXPECT_EQ(
    decide_arrival({.last = last_item::unfinished, .past_retention = true}),
    arrival::skip)
    << "somebody has yet to look at it";
}

} // namespace
} // namespace depositd::aptrust
