#include "adapters/stores/sqlite/sqlite_doi_registry.hpp"

#include "tests/adapters/stores/sqlite/database_files.hpp"

namespace depositd {

namespace {

class sqlite_registry : public ::testing::Test {
protected:
  void SetUp() override {
    open(folder_.path() / "registry.db");
  }

  void open(const std::filesystem::path& path,
            const sqlite_registry_options& options = {}) {
    path_ = path;
    auto opened = open_sqlite_registry(path, options);
    ASSERT_TRUE(opened) << render(opened.error());
    registry = std::move(*opened);
  }

  void reopen() {
    registry.reset();
    open(path_);
  }

  static doi_registration registration(item_id submission,
                                       std::size_t count = 1) {
    doi_registration out{.submission = submission, .user = "ann"};
    for (std::size_t i = 0; i < count; ++i)
      out.records.push_back({.doi = "10.5555/" + std::to_string(submission)
                                    + "." + std::to_string(i),
                             .title = std::string(500, 't'),
                             .timestamp = "5"});
    return out;
  }

  caf::error record(const doi_registration& what) {
    const auto done = registry->record(what);
    return done ? caf::error{} : done.error();
  }

  std::size_t count() {
    const auto found = registry->find({}, 100'000);
    EXPECT_TRUE(found) << render(found.error());
    return found ? found->size() : 0;
  }

  /// As if the program had been killed now.
  void crash() {
    const auto copy = path_.parent_path() / "crashed.db";
    std::filesystem::copy_file(path_, copy);
    std::filesystem::copy_file(log_of(path_), log_of(copy));
    registry.reset();
    open(copy);
  }

  /// Makes a record of somebody else's and then a row of it that is wrong.
  void damage(const std::string& doi) {
    ASSERT_FALSE(record(registration(9)));
    registry.reset();
    run_sql(path_, ("UPDATE dois SET resource = 'elsewhere' WHERE doi_key = '"
                    + doi + "'")
                     .c_str());
    open(path_);
  }

  const std::filesystem::path& path() const {
    return path_;
  }

  std::unique_ptr<doi_registry> registry;

private:
  temporary_folder folder_;
  std::filesystem::path path_;
};

TEST_F(sqlite_registry, repeats_its_answer_after_it_was_opened_again) {
  ASSERT_FALSE(record(registration(1)));
  auto second = registration(1);
  second.submission = 2;
  second.records.front().timestamp = "6";
  ASSERT_EQ(registry->record(second)->front(), doi_result::updated);
  reopen();
  EXPECT_EQ(registry->record(registration(1))->front(), doi_result::added);
  EXPECT_EQ(registry->record(second)->front(), doi_result::updated);
  EXPECT_EQ(registry->find({}, 9)->front().timestamp, "6");
}

TEST_F(sqlite_registry, keeps_what_was_flushed_across_a_crash) {
  ASSERT_FALSE(record(registration(1, 3)));
  ASSERT_FALSE(registry->flush());
  ASSERT_FALSE(record(registration(2, 3)));
  crash();
  EXPECT_EQ(count(), 3u) << "nobody was told of the second one";
  EXPECT_EQ(registry->submission_max(100), item_id{1});
  ASSERT_FALSE(record(registration(2, 3)));
  EXPECT_EQ(count(), 6u);
}

TEST_F(sqlite_registry, keeps_what_was_found_across_a_crash) {
  ASSERT_FALSE(record(registration(1)));
  EXPECT_EQ(count(), 1u);
  crash();
  EXPECT_EQ(count(), 1u);
}

TEST_F(sqlite_registry, commits_once_for_all_that_is_flushed_together) {
  ASSERT_FALSE(record(registration(1)));
  ASSERT_FALSE(registry->flush());
  const auto before = std::filesystem::file_size(log_of(path()));
  for (item_id id = 2; id < 30; ++id)
    ASSERT_FALSE(record(registration(id)));
  EXPECT_EQ(std::filesystem::file_size(log_of(path())), before);
  ASSERT_FALSE(registry->flush());
  EXPECT_LT(std::filesystem::file_size(log_of(path())), before + 28 * 4096);
}

TEST_F(sqlite_registry, records_again_what_a_failed_commit_took_back) {
  ASSERT_FALSE(record(registration(1)));
  ASSERT_FALSE(registry->flush());
  auto second = registration(1);
  second.submission = 2;
  second.records.front().timestamp = "6";
  auto third = second;
  third.submission = 3;
  ASSERT_EQ(registry->record(second)->front(), doi_result::updated);
  {
    const full_disk full{std::filesystem::file_size(log_of(path()))};
    expect_refused(registry->flush(), ec::store_failed, path());
    expect_refused(registry->flush(), ec::store_failed, path());
    EXPECT_EQ(registry->submission_max(100), item_id{2}) << "it was told so";
  }
  EXPECT_EQ(registry->record(third)->front(), doi_result::outdated);
  EXPECT_FALSE(registry->flush());
  crash();
  EXPECT_EQ(registry->record(second)->front(), doi_result::updated);
  EXPECT_EQ(registry->find({}, 9)->front().timestamp, "6");
}

TEST_F(sqlite_registry, loses_nothing_open_to_a_registration_that_fails) {
  ASSERT_FALSE(record(registration(1)));
  auto other = registration(1, 2);
  EXPECT_EQ(record(other), ec::invalid_argument);
  damage("10.5555/9.0");
  ASSERT_FALSE(record(registration(2)));
  auto again = registration(9);
  again.submission = 10;
  EXPECT_EQ(record(again), ec::store_damaged);
  ASSERT_FALSE(registry->flush());
  crash();
  EXPECT_EQ(registry->record(registration(2))->front(), doi_result::added);
  EXPECT_EQ(registry->submission_max(100), item_id{9});
}

TEST_F(sqlite_registry, has_room_for_its_commits_before_the_disk_is_full) {
  registry.reset();
  open(path(), {.log_bytes = 4 << 20});
  {
    const full_disk full{4 << 20};
    for (item_id id = 1; id < 400; ++id)
      ASSERT_FALSE(record(registration(id)));
    EXPECT_FALSE(registry->flush());
  }
  crash();
  EXPECT_EQ(count(), 399u);
}

TEST_F(sqlite_registry, does_not_trust_a_log_that_was_not_flushed) {
  ASSERT_FALSE(record(registration(1)));
  EXPECT_FALSE(registry->flush());
  {
    const unflushable log{log_of(path())};
    EXPECT_FALSE(registry->flush()) << "nothing is new";
  }
  ASSERT_FALSE(record(registration(2)));
  EXPECT_EQ(count(), 2u) << "it is committed";
  {
    const unflushable log{log_of(path())};
    expect_refused(registry->flush(), ec::store_failed, path());
  }
  ASSERT_FALSE(record(registration(3)));
  EXPECT_FALSE(registry->flush()) << "what is there was read and written anew";
  EXPECT_EQ(std::filesystem::file_size(log_of(path())), 0u);
  const auto copy = path().parent_path() / "after_power_cut.db";
  std::filesystem::copy_file(path(), copy);
  ASSERT_FALSE(record(registration(4)));
  EXPECT_FALSE(registry->flush());
  EXPECT_EQ(count(), 4u);
  registry.reset();
  open(copy);
  EXPECT_EQ(count(), 3u);
}

/// What the system said was written, and the disk has not.
TEST_F(sqlite_registry, flushes_nothing_after_commits_were_lost) {
  ASSERT_FALSE(record(registration(1)));
  EXPECT_FALSE(registry->flush());
  const auto flushed = std::filesystem::file_size(log_of(path()));
  ASSERT_FALSE(record(registration(2)));
  EXPECT_EQ(count(), 2u) << "it is committed";
  {
    const unflushable log{log_of(path())};
    expect_refused(registry->flush(), ec::store_failed, path());
  }
  std::filesystem::resize_file(log_of(path()), flushed);
  for (auto i = 0; i < 2; ++i) {
    expect_refused(registry->flush(), ec::store_failed, path());
    expect_refused(record(registration(3)), ec::store_failed, path());
    expect_refused(registry->backup(path().parent_path() / "copy"),
                   ec::store_failed, path());
  }
  reopen();
  EXPECT_EQ(count(), 1u);
  ASSERT_FALSE(record(registration(2)));
  EXPECT_FALSE(registry->flush());
}

/// They are open while the log is closed and read anew.
TEST_F(sqlite_registry, keeps_what_was_recorded_into_a_log_in_doubt) {
  ASSERT_FALSE(record(registration(1)));
  EXPECT_EQ(count(), 1u) << "it is committed";
  {
    const unflushable log{log_of(path())};
    expect_refused(registry->flush(), ec::store_failed, path());
  }
  for (item_id id = 2; id < 6; ++id)
    ASSERT_FALSE(record(registration(id)));
  EXPECT_FALSE(registry->flush());
  crash();
  EXPECT_EQ(count(), 5u);
}

TEST_F(sqlite_registry, keeps_what_was_open_when_it_was_closed) {
  ASSERT_FALSE(record(registration(1)));
  reopen();
  EXPECT_EQ(count(), 1u);
}

TEST_F(sqlite_registry, commits_large_registrations_by_themselves) {
  ASSERT_FALSE(record(registration(1)));
  ASSERT_FALSE(record(registration(2, 1000)));
  ASSERT_FALSE(record(registration(3)));
  crash();
  EXPECT_EQ(count(), 1001u) << "and what came before, for the order's sake";
}

TEST_F(sqlite_registry, commits_what_is_long_though_it_is_one_record) {
  auto cited = registration(1);
  cited.records.front().citations = std::string(4 << 20, 'c');
  ASSERT_FALSE(record(cited));
  crash();
  EXPECT_EQ(count(), 1u);
}

/// So that what others need is left: the journal, first of all.
TEST_F(sqlite_registry, takes_no_room_for_its_log_where_there_is_too_little) {
  ASSERT_FALSE(record(registration(1)));
  registry.reset();
  {
    const full_disk full{4 << 20};
    open(path(), {.log_bytes = 8 << 20});
  }
  EXPECT_LT(std::filesystem::file_size(log_of(path())), 1u << 20);
  ASSERT_FALSE(record(registration(2)));
  EXPECT_EQ(count(), 2u);
}

TEST_F(sqlite_registry, is_for_one_program_at_a_time) {
  expect_refused(open_sqlite_registry(path()).error(), ec::store_failed,
                 path());
}

TEST_F(sqlite_registry, is_not_a_projection) {
  registry.reset();
  run_sql(path(), "PRAGMA application_id = 1");
  const auto opened = open_sqlite_registry(path());
  ASSERT_FALSE(opened);
  expect_refused(opened.error(), ec::store_damaged, path());
}

TEST_F(sqlite_registry, is_refused_if_it_is_cut_off) {
  ASSERT_FALSE(record(registration(1, 100)));
  registry.reset();
  std::filesystem::resize_file(path(), 9000);
  const auto before = bytes_of(path());
  const auto opened = open_sqlite_registry(path());
  ASSERT_FALSE(opened);
  expect_refused(opened.error(), ec::store_damaged, path());
  EXPECT_TRUE(bytes_of(path()) == before) << "the file was changed";
}

TEST_F(sqlite_registry, names_the_doi_that_was_changed) {
  ASSERT_FALSE(record(registration(1, 3)));
  registry.reset();
  run_sql(path(), "UPDATE dois SET resource = 'elsewhere' "
                  "WHERE doi_key = '10.5555/1.1'");
  open(path());
  const auto found = registry->find({.doi = "10.5555/1.1"}, 1);
  ASSERT_FALSE(found);
  expect_refused(found.error(), ec::store_damaged, path());
  EXPECT_NE(render(found.error()).find("10.5555/1.1"), std::string::npos);
  EXPECT_TRUE(registry->find({.doi = "10.5555/1.2"}, 1));
  auto again = registration(1, 3);
  again.submission = 2;
  EXPECT_EQ(record(again), ec::store_damaged);
}

TEST_F(sqlite_registry, refuses_to_repeat_a_damaged_answer) {
  ASSERT_FALSE(record(registration(1)));
  registry.reset();
  run_sql(path(), "UPDATE submissions_done SET results = 'o'");
  open(path());
  EXPECT_EQ(record(registration(1)), ec::store_damaged);
}

TEST_F(sqlite_registry, records_all_or_nothing_when_the_disk_is_full) {
  ASSERT_FALSE(record(registration(1, 3)));
  {
    const full_disk full{std::filesystem::file_size(log_of(path())) + 50'000};
    expect_refused(record(registration(2, 1000)), ec::store_failed, path());
    EXPECT_EQ(count(), 3u);
  }
  ASSERT_FALSE(record(registration(2, 1000)));
  EXPECT_EQ(count(), 1003u);
}

TEST_F(sqlite_registry, records_all_or_nothing_when_the_file_may_not_grow) {
  ASSERT_FALSE(record(registration(1, 3)));
  registry.reset();
  const auto pages = std::filesystem::file_size(path()) / 4096 + 2;
  open(path(), {.pages_max = static_cast<std::uint32_t>(pages)});
  expect_refused(record(registration(2, 1000)), ec::store_failed, path());
  EXPECT_EQ(count(), 3u);
  reopen();
  ASSERT_FALSE(record(registration(2, 1000)));
}

TEST_F(sqlite_registry, makes_a_copy_that_a_registry_can_start_on) {
  ASSERT_FALSE(record(registration(1, 3)));
  const auto folder = path().parent_path() / "backup";
  std::filesystem::create_directory(folder);
  ASSERT_FALSE(registry->backup(folder));
  EXPECT_EQ(registry->backup(folder), ec::already_exists);
  ASSERT_FALSE(record(registration(2)));
  registry.reset();
  open(folder / "registry.db");
  EXPECT_EQ(count(), 3u);
  EXPECT_EQ(registry->record(registration(1, 3))->front(), doi_result::added);
}

} // namespace

} // namespace depositd
