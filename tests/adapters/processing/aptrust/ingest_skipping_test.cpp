// What is skipped: other bags of the object are on their way, or were there.

#include "adapters/processing/aptrust/premis.hpp"
#include "messages/values/time_text.hpp"
#include "tests/adapters/processing/aptrust/ingest_world.hpp"

namespace depositd::aptrust::testing {
namespace {

TEST_F(ingest, row_p7_a_newer_bag_is_woken_when_the_older_ends) {
  const auto bag = receive(parts_of("photos", two_files));
  auto newer = job_of(bag, "jid-2");
  also_on_its_way(6);
  const auto waits = run("prefetch", newer);
  EXPECT_EQ(waits.says, verdict::not_yet);
  EXPECT_EQ(waits.delay_ms, 0u) << "as long as its stage says, or until woken";
  EXPECT_TRUE(woken.empty());
  items->rows.clear();
  id = 6;
  auto older = job_of(bag, "jid-1");
  ASSERT_EQ(run_through(older), "");
  ASSERT_EQ(woken.size(), 1u);
  EXPECT_EQ(woken[0].ids, std::vector<item_id>{7});
}

TEST_F(ingest, row_p7_a_newer_bag_asks_until_the_end_of_the_older_is_known) {
  auto older = job_of(receive(parts_of("photos", two_files)), "jid-1");
  id = 6;
  ASSERT_EQ(run_through(older, "identify"), "");
  auto newer =
    job_of(receive(parts_of("photos", {{"a.txt", "other\n"}})), "jid-2");
  also_on_its_way(6);
  id = 7;
  ASSERT_EQ(run("prefetch", newer).delay_ms, 0u);
  id = 6;
  for (const auto* name : {"store", "check", "record", "cleanup"})
    ASSERT_EQ(run(name, older).says, verdict::done) << name;
  ASSERT_EQ(woken.size(), 1u);
  // It has said so, and the read model does not have it yet.
  id = 7;
  const auto early = run("prefetch", newer);
  EXPECT_EQ(early.says, verdict::not_yet);
  EXPECT_GT(early.delay_ms, 0u) << "nobody wakes it once more";
  EXPECT_LT(early.delay_ms, 1'000u);
  items->rows.clear();
  EXPECT_EQ(run("prefetch", newer).says, verdict::done);
}

TEST_F(ingest, row_p8_an_older_bag_is_cancelled_and_wakes_the_newer) {
  auto older = job_of(receive(parts_of("photos", two_files)));
  also_on_its_way(9, job_state::pending);
  const auto out = run("prefetch", older);
  EXPECT_EQ(out.says, verdict::rejected);
  EXPECT_TRUE(out.reason.starts_with("cancelled:")) << out.reason;
  EXPECT_EQ(item_of(older).status, item_status::cancelled);
}

TEST_F(ingest, row_p8_which_bag_is_older_is_said_by_its_batch) {
  auto job = job_of(receive(parts_of("photos", two_files)));
  also_on_its_way(id);
  items->rows.back().batch = 5;
  also_on_its_way(9, job_state::pending);
  items->rows.back().batch = 4; // it was split later
  EXPECT_EQ(run("prefetch", job).says, verdict::not_yet);
  items->rows.back().batch = 6;
  EXPECT_EQ(run("prefetch", job).says, verdict::rejected);
}

TEST_F(ingest, row_p9_an_older_bag_is_stored_to_its_end) {
  auto older = job_of(receive(parts_of("photos", two_files)));
  ASSERT_EQ(run_through(older, "identify"), "");
  also_on_its_way(9, job_state::pending);
  EXPECT_EQ(run("store", older).says, verdict::done);
}

TEST_F(ingest, row_p9_an_older_bag_does_not_follow_what_was_ingested) {
  for (const std::string last : {"identify", "store", "check"}) {
    SCOPED_TRACE(last);
    const auto name = "after-" + last;
    const auto bag_of = [&](const char* uuid, const file_map& files) {
      auto out = job_of(receive(parts_of(name, files)), uuid + last);
      out.what.date = format_utc(item_of(out).bag_date);
      return out;
    };
    auto older = bag_of("older-", two_files);
    ASSERT_EQ(run_through(older, last), "");
    ASSERT_FALSE(tools->inventory->unlock_all(older.uuid, token)) << "failed";
    auto newer = bag_of("newer-", {{"a.txt", "changed\n"}});
    ASSERT_EQ(run_through(newer), "");
    const auto out = run(*std::next(std::find(all_stages.begin(),
                                              all_stages.end(), last)),
                         older);
    EXPECT_EQ(out.says, verdict::rejected);
    EXPECT_TRUE(out.reason.starts_with("cancelled:")) << out.reason;
    const auto files = tools->inventory->files("test.edu/" + name, 0);
    ASSERT_TRUE(files);
    EXPECT_EQ(files->size(), 3u) << "the newer one's";
  }
}

TEST_F(ingest, does_not_wait_for_other_pipelines_of_the_object) {
  auto job = job_of(receive(parts_of("photos", two_files)));
  also_on_its_way(6);
  items->rows.back().info.pipeline = "aptrust-restore";
  EXPECT_EQ(run("prefetch", job).says, verdict::done);
}

TEST_F(ingest, row_p10_a_bag_that_was_sent_again_cancels_the_first) {
  auto early = job_of(receive(parts_of("photos", two_files)));
  ASSERT_EQ(run_through(early, "prefetch"), "");
  auto late = early;
  ASSERT_EQ(run("validate", late).says, verdict::done);
  for (const auto* name : {"reingest", "stage", "identify"})
    ASSERT_EQ(run(name, late).says, verdict::done) << name;
  receive(parts_of("photos", {{"a.txt", "newer\n"}}));
  EXPECT_EQ(run("validate", early).says, verdict::rejected);
  EXPECT_EQ(item_of(early).status, item_status::cancelled);
  EXPECT_EQ(run("store", late).says, verdict::done);
}

TEST_F(ingest, row_p11_a_bag_that_was_taken_away_suspends_its_item) {
  auto job = job_of(receive(parts_of("photos", two_files)));
  fs::remove(home.path() / "receiving" / "photos.tar");
  EXPECT_EQ(run("prefetch", job).says, verdict::failed);
  const auto item = item_of(job);
  EXPECT_EQ(item.status, item_status::suspended);
  EXPECT_FALSE(item.retry);
  EXPECT_TRUE(item.needs_admin_review);
}

TEST_F(ingest, row_p12_makes_no_second_object_of_the_same_bytes) {
  const auto bag = receive(parts_of("photos", two_files));
  auto twin = job_of(bag, "jid-2");
  auto job = job_of(bag);
  ASSERT_EQ(run_through(job, "record"), "");
  const auto before = events({.count_max = 1'000}).size();
  for (const auto& name : all_stages)
    EXPECT_EQ(run(name, twin).says, verdict::skip) << name;
  const auto item = item_of(twin);
  EXPECT_EQ(item.stage, item_stage::cleanup);
  EXPECT_EQ(item.status, item_status::success);
  EXPECT_EQ(stored("local").substr(0, 2), "v1");
  EXPECT_EQ(events({.count_max = 1'000}).size(), before);
}

} // namespace
} // namespace depositd::aptrust::testing
