#include "adapters/processing/aptrust/premis.hpp"
#include "messages/values/time_text.hpp"
#include "tests/adapters/processing/aptrust/ingest_world.hpp"

namespace depositd::aptrust::testing {
namespace {

TEST_F(ingest, row_p1_takes_a_bag_through_all_stages) {
  auto job = job_of(receive(parts_of("photos", two_files)));
  ASSERT_EQ(run_through(job), "");
  const std::string kept =
    "v1 aptrust-info.txt bag-info.txt data/a.txt data/more/b.txt";
  EXPECT_EQ(stored("local"), kept);
  EXPECT_EQ(stored("far"), kept);
  const auto found = tools->inventory->find({.identifier = "test.edu/photos"});
  ASSERT_TRUE(found && found->size() == 1);
  EXPECT_EQ(found->front().owner, "test.edu");
  EXPECT_EQ(found->front().storage, (std::vector<std::string>{"far", "local"}));
  EXPECT_EQ(found->front().versions.back().title, "Photos of Ghent");
  const auto item = item_of(job);
  EXPECT_EQ(item.stage, item_stage::cleanup);
  EXPECT_EQ(item.status, item_status::success);
  EXPECT_EQ(item.outcome, "Ingest complete");
  EXPECT_EQ(item.object, "test.edu/photos");
  EXPECT_TRUE(item.node.empty());
  EXPECT_FALSE(item.needs_admin_review);
  EXPECT_FALSE(item.retry);
}

TEST_F(ingest, leaves_nothing_behind) {
  auto job = job_of(receive(parts_of("photos", two_files)));
  ASSERT_EQ(run_through(job), "");
  EXPECT_EQ(files_below(home.path() / "work"), "");
  EXPECT_EQ(files_below(home.path() / "receiving"), "");
}

TEST_F(ingest, a_newer_bag_in_the_place_stays_there) {
  auto job = job_of(receive(parts_of("photos", two_files)));
  ASSERT_EQ(run_through(job, "record"), "");
  receive(parts_of("photos", {{"a.txt", "newer\n"}}));
  EXPECT_EQ(run("cleanup", job).says, verdict::done);
  EXPECT_EQ(files_below(home.path() / "receiving"), "photos.tar");
}

TEST_F(ingest, the_bag_is_not_unpacked_before_it_is_staged) {
  auto job = job_of(receive(parts_of("photos", two_files)));
  ASSERT_EQ(run_through(job, "reingest"), "");
  EXPECT_EQ(files_below(folder(job)),
            "files.jsonl report.json unchanged.jsonl");
}

TEST_F(ingest, row_p13_says_who_has_begun_what) {
  auto job = job_of(receive(parts_of("photos", two_files)));
  work_item during;
  ingest_options with;
  with.tools = tools;
  with.node = "worker-1";
  handlers["aptrust.prefetch"] =
    ingest_handler(std::make_shared<const ingest_options>(with),
                   item_stage::receive, [&](bag_in_hand& x) {
                     during = x.item;
                     return merritt::ended(verdict::done);
                   });
  const auto before = engine_clock::system().now();
  EXPECT_EQ(run("prefetch", job).says, verdict::done);
  EXPECT_EQ(during.status, item_status::started);
  EXPECT_EQ(during.node, "worker-1");
  EXPECT_EQ(during.pid, ::getpid());
  EXPECT_GE(during.stage_started_at, before);
  EXPECT_FALSE(during.note.empty());
  const auto after = item_of(job);
  EXPECT_EQ(after.stage, item_stage::validate);
  EXPECT_EQ(after.status, item_status::pending);
  EXPECT_TRUE(after.node.empty());
}

// -- events -------------------------------------------------------------------

TEST_F(ingest, records_what_was_done_with_each_file) {
  auto job = job_of(receive(parts_of("photos", two_files)));
  ASSERT_EQ(run_through(job, "record"), "");
  std::vector<std::string> types;
  for (const auto& x : events({.file = "data/a.txt", .count_max = 100}))
    types.push_back(x.type);
  std::sort(types.begin(), types.end());
  EXPECT_EQ(types,
            (std::vector<std::string>{
              "fixity check", "format identification", "identifier assignment",
              "ingestion", "message digest calculation", "replication"}));
  const auto formats =
    events({.file = "data/a.txt", .type = premis_types::format_identification});
  ASSERT_EQ(formats.size(), 1u);
  EXPECT_EQ(formats[0].outcome_detail, "text/plain");
  const auto whole =
    events({.type = premis_types::ingestion, .of_object = true});
  ASSERT_EQ(whole.size(), 1u);
  EXPECT_EQ(whole[0].job, "jid-1");
  EXPECT_EQ(whole[0].outcome_detail, "etag:" + item_of(job).etag);
}

TEST_F(ingest, records_what_tag_files_are_written_in) {
  auto parts = parts_of("photos", two_files, "Mus\xe9\x65");
  parts.tags["bagit.txt"] =
    "BagIt-Version: 1.0\nTag-File-Character-Encoding: ISO-8859-1\n";
  auto job = job_of(receive(parts));
  ASSERT_EQ(run_through(job), "");
  EXPECT_EQ(job.what.title, "Mus\xc3\xa9\x65");
  const auto found = events(
    {.type = premis_types::format_identification, .of_object = true});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].detail, tag_file_encoding);
  EXPECT_EQ(found[0].outcome_detail, "ISO-8859-1");
}

TEST_F(ingest, records_nothing_twice) {
  auto job = job_of(receive(parts_of("photos", two_files)));
  ASSERT_EQ(run_through(job, "check"), "");
  auto again = job;
  EXPECT_EQ(run("record", job).says, verdict::done);
  const auto count = events({.count_max = 1'000}).size();
  // The worker died before anybody heard of it.
  EXPECT_EQ(run("record", again).says, verdict::done);
  EXPECT_EQ(events({.count_max = 1'000}).size(), count);
  EXPECT_EQ(stored("local").substr(0, 2), "v1");
}

// -- an object that comes again -----------------------------------------------

TEST_F(ingest, a_reingest_makes_a_version_and_knows_what_is_unchanged) {
  auto first = job_of(receive(parts_of("photos", two_files)));
  ASSERT_EQ(run_through(first), "");
  auto again = job_of(
    receive(parts_of("photos", {{"a.txt", "first\n"}, {"c.txt", "third\n"}})),
    "jid-2");
  ASSERT_EQ(run_through(again), "");
  EXPECT_EQ(stored("local"),
            "v2 aptrust-info.txt bag-info.txt data/a.txt data/c.txt");
  const auto& found = again.more.at("reingest");
  EXPECT_EQ(found.at("version"), 1);
  EXPECT_EQ(found.at("new"), 1);
  EXPECT_EQ(
    events({.file = "data/a.txt", .type = premis_types::ingestion}).size(), 1u)
    << "it is not ingested twice";
  EXPECT_EQ(
    events({.file = "data/a.txt", .type = premis_types::fixity_check}).size(),
    2u);
}

TEST_F(ingest, what_is_somebody_elses_is_not_ingested) {
  auto first = job_of(receive(parts_of("photos", two_files)));
  ASSERT_EQ(run_through(first), "");
  collection.owner = "other.edu";
  auto again = job_of(receive(parts_of("photos", two_files)), "jid-2");
  ASSERT_EQ(run_through(again, "validate"), "");
  EXPECT_EQ(run("reingest", again).says, verdict::rejected);
}

} // namespace
} // namespace depositd::aptrust::testing
