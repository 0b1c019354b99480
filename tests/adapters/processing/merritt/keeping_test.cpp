// Stages store, record and cleanup. Names of tests begin with the rows
// of the case table that they stand for.

#include "tests/adapters/processing/merritt/keeping_world.hpp"

#include <thread>

namespace depositd::merritt {

namespace {

class merritt_keeping : public keeping_world {
protected:
  const contents first_files{{"producer/a", "aaa"}, {"producer/sub/b", "bb"}};

  /// A first version that is stored and recorded, by a job that is over.
  void keep_first() {
    auto job = a_job("jid-0", first_files);
    ASSERT_EQ(run("merritt.store", job).says, verdict::done);
    ASSERT_EQ(run("merritt.record", job).says, verdict::done);
    ASSERT_EQ(run("merritt.cleanup", job).says, verdict::done);
  }

  inventory_object recorded() {
    const auto found =
      tools->inventory->find({.identifier = "ark:/99999/fk4a"});
    EXPECT_TRUE(found) << render(found.error());
    return found && found->size() == 1 ? found->front() : inventory_object{};
  }

  std::string bytes_of(const std::string& path, std::uint32_t version = 0) {
    const auto to = home.path() / ("got-" + std::to_string(++got_));
    const auto failed =
      tools->storage["local"]->get("ark:/99999/fk4a", version, path, to);
    EXPECT_FALSE(failed) << render(failed);
    std::ifstream in{to, std::ios::binary};
    return {std::istreambuf_iterator<char>{in}, {}};
  }

  /// Writes over what a target keeps under this name.
  void damage(const std::string& target, const std::string& name) {
    for (const auto& x : std::filesystem::recursive_directory_iterator{
           home.path() / target})
      if (x.path().filename() == name)
        std::ofstream{x.path(), std::ios::binary} << "turned";
  }

  int got_ = 0;
};

} // namespace

// -- store

TEST_F(merritt_keeping, puts_the_version_into_every_target) {
  collection.storage = {"local", "far"};
  auto job = a_job("jid-1", first_files);
  const auto out = run("merritt.store", job);
  ASSERT_EQ(out.says, verdict::done) << out.reason;
  EXPECT_EQ(stored("local"), "v1 producer/a producer/sub/b");
  EXPECT_EQ(stored("far"), stored("local"));
  EXPECT_EQ(bytes_of("producer/sub/b"), "bb");
  EXPECT_EQ(job.more["version"], 1);
  EXPECT_EQ(targets["far"]->verified, 1) << "it is read back";
}

TEST_F(merritt_keeping, stores_once_when_it_is_asked_again) {
  auto job = a_job("jid-1", first_files);
  const auto before = job;
  ASSERT_EQ(run("merritt.store", job).says, verdict::done);
  // The outcome was lost: the document is as it was.
  job = before;
  attempt = 2;
  token = 6;
  ASSERT_EQ(run("merritt.store", job).says, verdict::done);
  EXPECT_EQ(stored(), "v1 producer/a producer/sub/b");
  EXPECT_EQ(job.more["version"], 1);
}

TEST_F(merritt_keeping, M17_an_update_keeps_what_it_does_not_replace) {
  keep_first();
  auto job = a_job("jid-1", {{"producer/a", "changed"}, {"producer/c", "c"}});
  job.update = true;
  const auto out = run("merritt.store", job);
  ASSERT_EQ(out.says, verdict::done) << out.reason;
  EXPECT_EQ(stored(), "v2 producer/a producer/c producer/sub/b");
  EXPECT_EQ(bytes_of("producer/a"), "changed");
  EXPECT_EQ(bytes_of("producer/sub/b"), "bb");
  EXPECT_EQ(bytes_of("producer/a", 1), "aaa");
}

TEST_F(merritt_keeping, M46_an_update_takes_away_what_its_list_says) {
  keep_first();
  auto job = a_job("jid-1", {{"producer/mrt-delete.txt", "sub/b\nnever\n"},
                             {"producer/c", "c"}});
  job.update = true;
  const auto out = run("merritt.store", job);
  ASSERT_EQ(out.says, verdict::done) << out.reason;
  EXPECT_EQ(stored().find("sub/b"), std::string::npos) << stored();
  EXPECT_NE(stored().find("producer/a"), std::string::npos) << stored();
}

TEST_F(merritt_keeping, an_update_that_is_repeated_gives_one_version) {
  collection.storage = {"local", "far"};
  keep_first();
  auto job = a_job("jid-1", {{"producer/mrt-delete.txt", "sub/b\n"},
                             {"producer/a", "changed"}});
  job.update = true;
  const auto before = job;
  // It gets into one target, and then the other is away.
  targets["far"]->away = true;
  collection.storage = {"local"};
  ASSERT_EQ(run("merritt.store", job).says, verdict::done);
  collection.storage = {"local", "far"};
  job = before;
  EXPECT_EQ(run("merritt.store", job).says, verdict::retry);
  targets["far"]->away = false;
  ASSERT_EQ(run("merritt.store", job).says, verdict::done);
  EXPECT_EQ(stored("local").substr(0, 3), "v2 ");
  EXPECT_EQ(stored("far"), stored("local"));
}

TEST_F(merritt_keeping, a_new_submission_replaces_all_files) {
  keep_first();
  auto job = a_job("jid-1", {{"producer/c", "c"}});
  ASSERT_EQ(run("merritt.store", job).says, verdict::done);
  EXPECT_EQ(stored(), "v2 producer/c");
}

TEST_F(merritt_keeping, a_target_that_is_new_gets_the_whole_object) {
  keep_first();
  collection.storage = {"far", "local"};
  auto job = a_job("jid-1", {{"producer/c", "c"}});
  job.update = true;
  ASSERT_EQ(run("merritt.store", job).says, verdict::done);
  EXPECT_EQ(stored("far"), "v1 producer/a producer/c producer/sub/b");
  EXPECT_EQ(job.more["version"], 2) << "as where it has been longest";
  ASSERT_EQ(run("merritt.record", job).says, verdict::done);
  EXPECT_EQ(recorded().versions.size(), 2u);
}

TEST_F(merritt_keeping, says_that_its_files_are_gone_and_where_to_begin) {
  auto job = a_job("jid-1", first_files);
  std::filesystem::remove_all(tools->work_folder);
  const auto out = run("merritt.store", job);
  EXPECT_EQ(out.says, verdict::failed);
  EXPECT_EQ(out.reason, "what is to be stored is no longer in the working "
                        "folder: requeue to pending");
}

TEST_F(merritt_keeping, S16_tries_again_while_storage_is_down) {
  auto job = a_job("jid-1", first_files);
  targets["local"]->away = true;
  EXPECT_EQ(run("merritt.store", job).says, verdict::retry);
  EXPECT_TRUE(locked("ark:/99999/fk4a")) << "it goes on soon";
  targets["local"]->away = false;
  EXPECT_EQ(run("merritt.store", job).says, verdict::done);
}

TEST_F(merritt_keeping, S16_frees_the_object_with_the_last_attempt) {
  auto job = a_job("jid-1", first_files);
  targets["local"]->away = true;
  attempt = stage.attempts_max;
  EXPECT_EQ(run("merritt.store", job).says, verdict::retry);
  EXPECT_FALSE(locked("ark:/99999/fk4a"));
}

TEST_F(merritt_keeping, fails_when_it_cannot_read_back_what_it_wrote) {
  auto job = a_job("jid-1", first_files);
  targets["local"]->damaged = true;
  const auto out = run("merritt.store", job);
  EXPECT_EQ(out.says, verdict::failed);
  EXPECT_NE(out.reason.find("a bit has turned"), std::string::npos);
  EXPECT_FALSE(locked("ark:/99999/fk4a"));
}

TEST_F(merritt_keeping, what_was_damaged_in_storage_is_put_there_anew) {
  collection.storage = {"local", "far"};
  keep_first();
  damage("local", "a");
  auto job = a_job("jid-1", first_files);
  const auto out = run("merritt.store", job);
  ASSERT_EQ(out.says, verdict::done) << out.reason;
  EXPECT_FALSE(targets["local"]->verify("ark:/99999/fk4a", 0));
}

TEST_F(merritt_keeping, an_update_takes_the_whole_copy_where_one_is_damaged) {
  collection.storage = {"local", "far"};
  keep_first();
  damage("local", "b");
  damage("far", "a");
  auto job = a_job("jid-1", {{"producer/c", "c"}});
  job.update = true;
  const auto out = run("merritt.store", job);
  ASSERT_EQ(out.says, verdict::done) << out.reason;
  for (const auto* name : {"local", "far"})
    EXPECT_FALSE(targets[name]->verify("ark:/99999/fk4a", 2)) << name;
}

TEST_F(merritt_keeping, damage_that_no_new_version_has_is_in_nobodys_way) {
  keep_first();
  damage("local", "a");
  auto job = a_job("jid-1", {{"producer/a", "new"}});
  const auto out = run("merritt.store", job);
  EXPECT_EQ(out.says, verdict::done) << out.reason;
}

TEST_F(merritt_keeping, fails_when_a_file_has_changed_since_it_was_listed) {
  auto job = a_job("jid-1", first_files);
  std::ofstream{folder_of(tools->work_folder, job)->root / "producer/a"}
    << "AAA";
  const auto out = run("merritt.store", job);
  EXPECT_EQ(out.says, verdict::failed);
  EXPECT_NE(out.reason.find("producer/a"), std::string::npos) << out.reason;
  EXPECT_EQ(targets["local"]->puts, 0);
}

TEST_F(merritt_keeping, fails_without_what_it_needs) {
  auto job = a_job("jid-1", first_files);
  collection.storage = {"nowhere"};
  EXPECT_EQ(run("merritt.store", job).says, verdict::failed);
  collection.storage = {};
  EXPECT_EQ(run("merritt.store", job).says, verdict::failed);
  collection.storage = {"local"};
  has_collection = false;
  EXPECT_EQ(run("merritt.store", job).says, verdict::failed);
  has_collection = true;
  job.what.identifier.clear();
  EXPECT_EQ(run("merritt.store", job).says, verdict::failed);
  job.what.identifier = "ark:/99999/fk4a";
  std::filesystem::remove_all(tools->work_folder);
  EXPECT_EQ(run("merritt.store", job).says, verdict::failed);
}

TEST_F(merritt_keeping, S13_waits_while_another_job_has_the_object) {
  auto first = a_job("jid-1", first_files);
  first.what.local_ids = {"L1"};
  auto second = a_job("jid-2", {{"producer/c", "c"}});
  ASSERT_EQ(run("merritt.store", first).says, verdict::done);
  EXPECT_EQ(run("merritt.store", second).says, verdict::not_yet);
  EXPECT_EQ(run("merritt.record", second).says, verdict::not_yet);
  ASSERT_EQ(run("merritt.record", first).says, verdict::done);
  ASSERT_EQ(run("merritt.cleanup", first).says, verdict::done);
  EXPECT_EQ(run("merritt.store", second).says, verdict::done);
  EXPECT_EQ(stored(), "v2 producer/c");
}

TEST_F(merritt_keeping, S13_stores_one_at_a_time) {
  std::vector<job_document> jobs;
  for (int i = 0; i < 4; ++i)
    jobs.push_back(a_job("jid-" + std::to_string(i),
                         {{"producer/" + std::to_string(i), "x"}}));
  std::vector<std::thread> threads;
  for (auto& job : jobs)
    threads.emplace_back([&] {
      // Whoever waits comes again; the one before must give it up.
      const auto until =
        std::chrono::steady_clock::now() + std::chrono::seconds{60};
      while (run("merritt.store", job).says == verdict::not_yet
             && std::chrono::steady_clock::now() < until)
        std::this_thread::yield();
      EXPECT_EQ(run("merritt.record", job).says, verdict::done);
      EXPECT_EQ(run("merritt.cleanup", job).says, verdict::done);
    });
  for (auto& x : threads)
    x.join();
  EXPECT_EQ(recorded().versions.size(), 4u);
}

TEST_F(merritt_keeping, J28_a_claim_that_is_over_stores_nothing) {
  auto job = a_job("jid-1", first_files);
  const auto now = engine_clock::system().now();
  token = 9;
  ASSERT_TRUE(*tools->inventory->lock(identifier_lock(job, 9, now), now));
  token = 8;
  EXPECT_EQ(run("merritt.store", job).says, verdict::not_yet);
  EXPECT_EQ(targets["local"]->puts, 0);
}

// -- record

TEST_F(merritt_keeping, records_what_was_stored) {
  collection.storage = {"local", "far"};
  auto job = a_job("jid-1", first_files);
  job.what.local_ids = {"L1", "L2"};
  ASSERT_EQ(run("merritt.store", job).says, verdict::done);
  EXPECT_EQ(recorded().identifier, "") << "R21: not before this stage";
  const auto out = run("merritt.record", job);
  ASSERT_EQ(out.says, verdict::done) << out.reason;
  const auto object = recorded();
  EXPECT_EQ(object.collection, "maps");
  EXPECT_EQ(object.owner, "ann");
  EXPECT_EQ(object.local_ids, (std::vector<std::string>{"L1", "L2"}));
  EXPECT_EQ(object.storage, (std::vector<std::string>{"far", "local"}));
  ASSERT_EQ(object.versions.size(), 1u);
  EXPECT_EQ(object.versions[0].job, "jid-1");
  EXPECT_EQ(object.versions[0].bytes, job.more["stored_bytes"]);
  EXPECT_EQ(object.versions[0].files, job.more["stored_files"]);
  EXPECT_EQ(object.versions[0].title, "A Map");
  const auto files = tools->inventory->files("ark:/99999/fk4a", 0);
  ASSERT_TRUE(files);
  EXPECT_EQ(*files, targets["local"]->show("ark:/99999/fk4a", 0)->files);
}

TEST_F(merritt_keeping, records_once_when_it_is_asked_again) {
  auto job = a_job("jid-1", first_files);
  ASSERT_EQ(run("merritt.store", job).says, verdict::done);
  ASSERT_EQ(run("merritt.record", job).says, verdict::done);
  token = 6;
  ASSERT_EQ(run("merritt.record", job).says, verdict::done);
  EXPECT_EQ(recorded().versions.size(), 1u);
}

TEST_F(merritt_keeping, M20_fails_when_a_local_id_is_anothers) {
  ASSERT_FALSE(tools->inventory->bind_local_id("ann", "L1", "ark:/99999/fk4b"));
  auto job = a_job("jid-1", first_files);
  job.what.local_ids = {"L1"};
  ASSERT_EQ(run("merritt.store", job).says, verdict::done);
  const auto out = run("merritt.record", job);
  EXPECT_EQ(out.says, verdict::failed);
  EXPECT_NE(out.reason.find("ark:/99999/fk4b"), std::string::npos);
  EXPECT_FALSE(locked("ark:/99999/fk4a"));
}

TEST_F(merritt_keeping, S15_trouble_is_never_taken_for_success) {
  auto job = a_job("jid-1", first_files);
  EXPECT_EQ(run("merritt.record", job).says, verdict::failed)
    << "nothing was stored";
  ASSERT_EQ(run("merritt.store", job).says, verdict::done);
  auto broken = job;
  broken.more["stored_in"] = {{"local", "one"}};
  EXPECT_EQ(run("merritt.record", broken).says, verdict::failed);
  broken.more["version"] = "x";
  broken.more["stored_in"] = {{"local", 1}};
  EXPECT_ANY_THROW(run("merritt.record", broken)) << "which is tried again";
  targets["local"]->away = true;
  EXPECT_EQ(run("merritt.record", job).says, verdict::retry);
  std::string body = "no document";
  EXPECT_EQ(run_body("merritt.record", body).says, verdict::failed);
  EXPECT_EQ(recorded().identifier, "");
}

TEST_F(merritt_keeping, S14_waits_for_a_lock_until_its_time_is_over) {
  auto job = a_job("jid-1", first_files);
  ASSERT_EQ(run("merritt.store", job).says, verdict::done);
  ASSERT_FALSE(tools->inventory->unlock_all("jid-1", any_token));
  const auto now = engine_clock::system().now();
  const object_lock lost{"ark:/99999/fk4a", "jid-lost", 1, now + 60'000'000};
  ASSERT_TRUE(*tools->inventory->lock(lost, now));
  EXPECT_EQ(run("merritt.record", job).says, verdict::not_yet);
  // The same, a minute later: its holder has not extended it.
  ASSERT_TRUE(*tools->inventory->lock({lost.name, lost.holder, 1, now}, now));
  EXPECT_EQ(run("merritt.record", job).says, verdict::done);
}

// -- cleanup

TEST_F(merritt_keeping, S17_leaves_no_folder_and_no_lock) {
  auto job = a_job("jid-1", first_files);
  auto other = a_job("jid-2", {{"producer/c", "c"}}, "ark:/99999/fk4c");
  job.what.local_ids = {"L1"};
  ASSERT_EQ(run("merritt.store", job).says, verdict::done);
  EXPECT_TRUE(locked("ark:/99999/fk4a"));
  EXPECT_TRUE(locked("ann L1"));
  ASSERT_EQ(run("merritt.cleanup", job).says, verdict::done);
  EXPECT_FALSE(locked("ark:/99999/fk4a"));
  EXPECT_FALSE(locked("ann L1"));
  EXPECT_FALSE(std::filesystem::exists(tools->work_folder / "bid-1/jid-1"));
  EXPECT_TRUE(std::filesystem::exists(tools->work_folder / "bid-1/jid-2"));
  EXPECT_NE(bytes_of("system/mrt-erc.txt").find("A Map"), std::string::npos);
  ASSERT_EQ(run("merritt.cleanup", job).says, verdict::done) << "again";
  ASSERT_EQ(run("merritt.cleanup", other).says, verdict::done);
  EXPECT_FALSE(std::filesystem::exists(tools->work_folder / "bid-1"));
}

} // namespace depositd::merritt
