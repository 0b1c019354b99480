#include "adapters/processing/aptrust/premis.hpp"
#include "messages/values/time_text.hpp"
#include "tests/adapters/processing/aptrust/ingest_world.hpp"

namespace depositd::aptrust::testing {
namespace {

class ingest : public ingest_world {};

/// A folder whose depositor has a link in the bag's place whenever it is about
/// to be opened, and the bag when somebody looks.
class changing_place final : public receiving_place {
public:
  changing_place(std::unique_ptr<receiving_place> of, fs::path target)
    : of_(std::move(of)), target_(std::move(target)) {
    // nop
  }

  caf::error
  each(const std::function<caf::error(const received_bag&)>& take) override {
    return of_->each(take);
  }

  caf::expected<received_bag> look(const std::string& name) override {
    const auto path = *of_->path_of(name);
    if (fs::is_symlink(path))
      fs::rename(path.string() + ".aside", path);
    return of_->look(name);
  }

  std::optional<fs::path> path_of(const std::string& name) override {
    const auto path = *of_->path_of(name);
    fs::rename(path, path.string() + ".aside");
    fs::create_symlink(target_, path);
    return path;
  }

  caf::error fetch(const std::string& name, const fs::path& to) override {
    return of_->fetch(name, to);
  }

  caf::expected<bool> remove(const std::string& name,
                             const std::string& etag) override {
    return of_->remove(name, etag);
  }

private:
  std::unique_ptr<receiving_place> of_;
  fs::path target_;
};

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

// -- bags that are wrong ------------------------------------------------------

TEST_F(ingest, row_p16_a_bag_with_a_wrong_digest_fails_at_once) {
  auto parts = parts_of("photos", two_files);
  parts.payload["a.txt"] = "frist\n";
  auto job = job_of(receive(parts));
  ASSERT_EQ(run_through(job, "prefetch"), "");
  const auto out = run("validate", job);
  EXPECT_EQ(out.says, verdict::rejected);
  EXPECT_NE(out.reason.find("data/a.txt"), std::string::npos) << out.reason;
  const auto item = item_of(job);
  EXPECT_EQ(item.status, item_status::failed);
  EXPECT_TRUE(item.needs_admin_review);
  EXPECT_FALSE(item.retry);
  EXPECT_EQ(files_below(home.path() / "receiving"), "photos.tar")
    << "people may look into it";
}

TEST_F(ingest, row_p16_a_missing_and_an_extra_file_fail_at_once) {
  auto missing = parts_of("photos", two_files);
  missing.payload.erase("a.txt");
  auto extra = parts_of("photos", two_files);
  extra.payload["c.txt"] = "nobody knows me\n";
  for (const auto& parts : {missing, extra}) {
    auto job = job_of(receive(parts));
    ASSERT_EQ(run_through(job, "prefetch"), "");
    EXPECT_EQ(run("validate", job).says, verdict::rejected);
  }
}

TEST_F(ingest, a_link_between_two_looks_is_not_followed) {
  auto job = job_of(receive(parts_of("photos", two_files)));
  const auto other = home.path() / "of-another.tar";
  std::ofstream{other, std::ios::binary}
    << packed(parts_of("photos", {{"secret.txt", "secret\n"}}));
  auto place = open_folder_receiving({.folder = home.path() / "receiving"});
  ASSERT_TRUE(place);
  const auto honest = tools->receiving["test"];
  const auto changing =
    std::make_shared<changing_place>(std::move(*place), other);
  for (const auto* name : {"prefetch", "validate"}) {
    tools->receiving["test"] = changing;
    EXPECT_EQ(run(name, job).says, verdict::retry) << name;
    changing->look("photos.tar"); // which puts the bag back
    tools->receiving["test"] = honest;
    EXPECT_EQ(run(name, job).says, verdict::done) << name;
  }
}

TEST_F(ingest, row_p16_what_is_no_tar_file_fails_at_once) {
  const auto whole = packed(parts_of("photos", two_files));
  for (const auto& bytes :
       {std::string(4'096, 'x'), whole.substr(0, whole.size() / 2 - 100)}) {
    auto job = job_of(receive("photos.tar", bytes));
    EXPECT_EQ(run("prefetch", job).says, verdict::rejected);
    EXPECT_EQ(item_of(job).status, item_status::failed);
  }
}

TEST_F(ingest, names_that_are_not_utf8_are_refused_and_shown_escaped) {
  for (const auto& [name, shown] :
       {std::pair{"caf\xe9.txt", "caf\\xe9.txt"}, {"a\xff", "a\\xff"}}) {
    auto job =
      job_of(receive(parts_of("photos", {{name, "x"}, {"b.txt", "y"}})));
    const auto out = run("prefetch", job);
    EXPECT_EQ(out.says, verdict::rejected) << shown;
    EXPECT_NE(out.reason.find(std::string{"photos/data/"} + shown),
              std::string::npos)
      << out.reason;
    EXPECT_EQ(item_of(job).status, item_status::failed);
  }
}

TEST_F(ingest, names_that_no_storage_keeps_are_refused_before_they_are_staged) {
  for (const auto* name : {"CON", "dot.", "bell\a.txt"}) {
    auto job = job_of(receive(parts_of("photos", {{name, "x"}})));
    ASSERT_EQ(run_through(job, "prefetch"), "");
    const auto out = run("validate", job);
    EXPECT_EQ(out.says, verdict::rejected) << name;
    EXPECT_NE(out.reason.find(std::string{"data/"} + name), std::string::npos)
      << out.reason;
  }
}

TEST_F(ingest, paths_that_a_target_has_no_room_for_are_refused) {
  targets["far"]->path_max = 20;
  const auto ending_of = [&](const char* name) {
    auto job = job_of(receive(parts_of("photos", {{name, "x"}})));
    EXPECT_EQ(run_through(job, "prefetch"), "");
    return run("validate", job);
  };
  EXPECT_EQ(ending_of("fifteen-letters").says, verdict::done) << "20 bytes";
  const auto out = ending_of("sixteen--letters");
  EXPECT_EQ(out.says, verdict::rejected);
  EXPECT_NE(out.reason.find("data/sixteen--letters"), std::string::npos);
  EXPECT_NE(out.reason.find("takes, 20"), std::string::npos) << out.reason;
  collection.storage = {"local"};
  EXPECT_EQ(ending_of("sixteen--letters").says, verdict::done);
}

TEST_F(ingest, a_bag_with_nothing_in_it_is_refused_before_it_is_staged) {
  auto bag = parts_of("photos", {});
  bag.tags.erase("bag-info.txt");
  bag.tags.erase("aptrust-info.txt");
  auto job = job_of(
    receive("photos.tar",
            tar_of({{"photos/bagit.txt", bag.tags["bagit.txt"]},
                    {"photos/manifest-sha256.txt", ""},
                    {"photos/data/", ""}})));
  ASSERT_EQ(run_through(job, "prefetch"), "");
  const auto out = run("validate", job);
  EXPECT_EQ(out.says, verdict::rejected);
  EXPECT_EQ(out.reason, "the bag cannot be stored: it has no file but those "
                        "that describe a bag");
}

TEST_F(ingest, nothing_is_written_outside_the_working_folder) {
  for (const auto* name :
       {"../escape", "/tmp/depositd-escape", "photos/data/../../../escape"}) {
    auto job = job_of(receive("photos.tar", tar_of({{name, "x"}})));
    EXPECT_EQ(run("prefetch", job).says, verdict::rejected) << name;
  }
  EXPECT_FALSE(fs::exists(home.path() / "escape"));
  EXPECT_FALSE(fs::exists("/tmp/depositd-escape"));
}

// -- what is skipped ----------------------------------------------------------

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

// -- trouble that passes ------------------------------------------------------

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
