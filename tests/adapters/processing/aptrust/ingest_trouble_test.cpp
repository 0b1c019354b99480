// Trouble that passes, and trouble that does not.

#include "adapters/processing/aptrust/premis.hpp"
#include "messages/values/time_text.hpp"
#include "tests/adapters/processing/aptrust/ingest_world.hpp"

namespace depositd::aptrust::testing {
namespace {

TEST_F(ingest, row_p15_stores_only_where_it_was_not_stored_yet) {
  auto job = job_of(receive(parts_of("photos", two_files)));
  ASSERT_EQ(run_through(job, "identify"), "");
  collection.storage = {"local", "far"};
  targets["far"]->away = true;
  EXPECT_EQ(run("store", job).says, verdict::retry);
  EXPECT_EQ(item_of(job).status, item_status::started);
  targets["far"]->away = false;
  attempt = 2;
  EXPECT_EQ(run("store", job).says, verdict::done);
  EXPECT_EQ(targets["local"]->puts, 1);
  EXPECT_EQ(targets["far"]->puts, 1);
}

TEST_F(ingest, begins_with_an_empty_folder_and_keeps_it_when_tried_again) {
  auto job = job_of(receive(parts_of("photos", two_files)));
  fs::create_directories(folder(job));
  const auto there = folder(job) / "copied before";
  std::ofstream{there} << "of other bytes";
  ASSERT_EQ(run("prefetch", job).says, verdict::done);
  EXPECT_FALSE(fs::exists(there));
  // What is not listed anew is not what an attempt before this one came to.
  fs::remove_all(folder(job));
  fs::create_directories(folder(job));
  std::ofstream{there} << "half of it";
  attempt = 2;
  ASSERT_EQ(run("prefetch", job).says, verdict::done);
  EXPECT_TRUE(fs::exists(there));
}

TEST_F(ingest, row_p15_unpacks_only_what_is_not_there_yet) {
  auto job = job_of(receive(parts_of("photos", two_files)));
  ASSERT_EQ(run_through(job, "reingest"), "");
  ASSERT_EQ(run("stage", job).says, verdict::done);
  const auto staged = folder(job) / "staged" / "data";
  const auto before = fs::last_write_time(staged / "a.txt");
  fs::last_write_time(staged / "a.txt", before - std::chrono::hours{1});
  std::ofstream{staged / "more" / "b.txt"} << "torn";
  attempt = 2;
  ASSERT_EQ(run("stage", job).says, verdict::done);
  EXPECT_EQ(fs::last_write_time(staged / "a.txt"),
            before - std::chrono::hours{1});
  std::ifstream mended{staged / "more" / "b.txt"};
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>{mended}, {}),
            "second\n");
}

TEST_F(ingest, row_p14_says_at_the_last_attempt_that_it_gives_up) {
  auto job = job_of(receive(parts_of("photos", two_files)));
  ASSERT_EQ(run_through(job, "identify"), "");
  targets["local"]->away = true;
  attempt = 3;
  EXPECT_EQ(run("store", job).says, verdict::retry);
  const auto item = item_of(job);
  EXPECT_FALSE(item.retry);
  EXPECT_TRUE(item.needs_admin_review);
  EXPECT_NE(item.note.find("will not retry"), std::string::npos);
}

/// A program in siegfried's place that does this.
std::string script(const fs::path& folder, const std::string& what) {
  const auto path = folder / "sf";
  std::ofstream{path} << "#!/bin/sh\n" << what << "\n";
  fs::permissions(path, fs::perms::owner_all);
  return path.string();
}

TEST_F(ingest, siegfried_ends_with_the_other_programs) {
  const auto programs = std::make_shared<exec::program_groups>();
  programs->end_all();
  handlers = ingest_stages(
    {.tools = tools,
     .profiles = nullptr,
     .profile_otherwise = {},
     .siegfried = script(home.path(), "sleep 2; echo '{\"files\":[]}'"),
     .programs = programs,
     .node = "worker-1"});
  auto job = job_of(receive(parts_of("photos", two_files)));
  ASSERT_EQ(run_through(job, "stage"), "");
  const auto how = run("identify", job);
  EXPECT_EQ(how.says, verdict::retry);
  EXPECT_NE(how.reason.find("killed by signal 9"), std::string::npos)
    << how.reason;
}

TEST_F(ingest, row_p14_says_on_one_line_what_siegfried_complains_about) {
  handlers = ingest_stages(
    {.tools = tools,
     .profiles = nullptr,
     .profile_otherwise = {},
     .siegfried = script(home.path(), "printf 'a\\033[1m\\nb\\n' >&2; exit 3"),
     .programs = {},
     .node = "worker-1"});
  auto job = job_of(receive(parts_of("photos", two_files)));
  ASSERT_EQ(run_through(job, "stage"), "");
  const auto how = run("identify", job);
  EXPECT_EQ(how.says, verdict::retry);
  EXPECT_TRUE(how.reason.ends_with("failed: exit code 3: a[1m b"))
    << how.reason;
}

TEST_F(ingest, cold_storage_is_not_read_again) {
  tools->cold_storage = {"far"};
  auto job = job_of(receive(parts_of("photos", two_files)));
  ASSERT_EQ(run_through(job, "check"), "");
  EXPECT_EQ(targets["local"]->verified, 1);
  EXPECT_EQ(targets["far"]->verified, 0);
}

TEST_F(ingest, a_number_that_the_inventory_gives_is_the_one_that_is_told) {
  inventory_entry before;
  before.identifier = "test.edu/photos";
  before.owner = "test.edu";
  before.collection = "photos";
  before.version.number = 1;
  before.version.job = "jid-0";
  before.files = {{"data/other", 1, std::string(128, 'a')}};
  ASSERT_FALSE(tools->inventory->record(before));
  auto job = job_of(receive(parts_of("photos", two_files)));
  ASSERT_EQ(run_through(job), "");
  const auto files = tools->inventory->files("test.edu/photos", 2);
  ASSERT_TRUE(files) << render(files.error());
  EXPECT_EQ(files->size(), 4u);
  const auto told =
    events({.type = premis_types::ingestion, .of_object = true});
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0].detail, "ingested as version 2");
}

TEST_F(ingest, staged_files_that_changed_are_not_stored) {
  auto job = job_of(receive(parts_of("photos", two_files)));
  ASSERT_EQ(run_through(job, "identify"), "");
  std::ofstream{folder(job) / "staged" / "data" / "a.txt"} << "turned";
  const auto out = run("store", job);
  EXPECT_EQ(out.says, verdict::failed);
  EXPECT_NE(out.reason.find("ingest04_staging"), std::string::npos);
  EXPECT_EQ(targets["local"]->puts, 0);
}

TEST_F(ingest, a_lost_working_folder_is_told) {
  auto job = job_of(receive(parts_of("photos", two_files)));
  ASSERT_EQ(run_through(job, "prefetch"), "");
  fs::remove_all(folder(job));
  const auto out = run("validate", job);
  EXPECT_EQ(out.says, verdict::failed);
  EXPECT_NE(out.reason.find("prefetch"), std::string::npos) << out.reason;
}

TEST_F(ingest, a_damaged_list_is_told_and_not_tried_again) {
  const auto bag = receive(parts_of("photos", two_files));
  const std::map<std::string, std::vector<std::string>> readers{
    {"files.jsonl",
     {"validate", "reingest", "stage", "identify", "store", "record"}},
    {"unchanged.jsonl", {"record"}},
    {"formats.jsonl", {"record"}}};
  int count = 0;
  for (const auto& [list, names] : readers)
    for (const auto& name : names)
      for (const auto* bytes : {"{\"bag\": \"pho", "[1]\n", "{}\n"}) {
        SCOPED_TRACE(list + " in " + name + ": " + bytes);
        auto job = job_of(bag, "jid-" + std::to_string(++count));
        // Each is an object of its own.
        job.what.identifier += std::to_string(count);
        const auto before =
          std::find(all_stages.begin(), all_stages.end(), name);
        ASSERT_EQ(run_through(job, *std::prev(before)), "");
        std::ofstream{folder(job) / list, std::ios::binary} << bytes;
        const auto out = run(name, job);
        EXPECT_EQ(out.says, verdict::failed) << out.reason;
        EXPECT_NE(out.reason.find(list), std::string::npos) << out.reason;
        EXPECT_EQ(item_of(job).status, item_status::failed);
      }
}

TEST_F(ingest, a_list_that_is_gone_is_told_and_not_tried_again) {
  for (const auto* list : {"files.jsonl", "unchanged.jsonl", "formats.jsonl"}) {
    auto job = job_of(receive(parts_of("photos", two_files)), list);
    job.what.identifier += list;
    ASSERT_EQ(run_through(job, "check"), "");
    fs::remove(folder(job) / list);
    const auto out = run("record", job);
    EXPECT_EQ(out.says, verdict::failed) << list;
    EXPECT_NE(out.reason.find(list), std::string::npos) << out.reason;
  }
}

} // namespace
} // namespace depositd::aptrust::testing
