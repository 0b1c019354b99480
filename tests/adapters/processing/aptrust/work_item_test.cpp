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

TEST(premis_events, differ_where_a_letter_goes_from_one_part_to_the_next) {
  const premis_scene scene{"o", "u", "jid-1", "depositd", 1'000};
  premis_facts one{.type = premis_types::ingestion, .detail = "b"};
  auto other = one;
  one.file = "a";
  other.detail = "";
  other.file = "ab";
  EXPECT_NE(make_event(scene, one).id, make_event(scene, other).id);
}

TEST(premis_events, say_whose_they_are) {
  const premis_scene scene{"o", "u", "jid-1", "depositd", 1'000};
  const auto out = make_event(scene, {.type = premis_types::ingestion,
                                      .detail = "d"});
  EXPECT_EQ(out.owner, scene.owner);
  EXPECT_EQ(out.agent, scene.agent);
  EXPECT_EQ(out.job, scene.job);
}

// -- bags that are found ------------------------------------------------------

TEST(arrivals, row_p34_makes_an_item_of_a_new_bag) {
  EXPECT_EQ(decide_arrival({.last = last_item::none}), arrival::create);
}

TEST(arrivals, row_p34_makes_another_item_where_the_last_was_cancelled) {
  EXPECT_EQ(decide_arrival({.last = last_item::cancelled}), arrival::create);
}

TEST(arrivals, know_what_became_of_the_last_item) {
  batch_row batch;
  EXPECT_EQ(became_of(batch, nullptr), last_item::unfinished);
  job_row job;
  job.info.pipeline = "aptrust";
  job.queue = "test.ingest01_prefetch";
  const auto after = [&](job_state state, const char* note, bool again) {
    job.status.state = state;
    job.status.note = note;
    job.status.submit_again = again;
    return became_of(batch, &job);
  };
  EXPECT_EQ(after(job_state::pending, "", false), last_item::unfinished);
  EXPECT_EQ(after(job_state::completed, "", false), last_item::succeeded);
  EXPECT_EQ(after(job_state::failed, "", true), last_item::failed);
  EXPECT_EQ(after(job_state::failed, "cancelled: newer", true),
            last_item::cancelled);
  // As failed ones they would be taken away one day.
  EXPECT_EQ(after(job_state::failed, "suspended: gone", true),
            last_item::unfinished);
  EXPECT_EQ(after(job_state::failed, "", false), last_item::unfinished);
  job.queue.clear();
  EXPECT_EQ(after(job_state::deleted, "", false), last_item::cancelled)
    << "it is in no queue any more";
  batch.status.state = batch_state::deleted;
  EXPECT_EQ(became_of(batch, nullptr), last_item::cancelled);
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
