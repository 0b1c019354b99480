#include "adapters/stores/sqlite/sqlite_projection_store.hpp"

#include "tests/adapters/stores/sqlite/projection_fixture.hpp"

namespace depositd {

namespace {

class sqlite_projection : public projection_fixture {};

TEST_F(sqlite_projection, keeps_everything_when_it_is_opened_again) {
  fill();
  const auto before = contents();
  EXPECT_EQ(before.reached, 3u);
  EXPECT_EQ(before.items.size(), 60u);
  reopen();
  EXPECT_EQ(contents(), before);
}

TEST_F(sqlite_projection, goes_on_where_it_was_when_it_is_opened_again) {
  fill();
  reopen();
  auto x = next_slice();
  x.items_gone = {1};
  apply(x);
  reopen();
  const auto now = contents();
  EXPECT_EQ(now.reached, 4u);
  EXPECT_EQ(now.items.size(), 59u);
}

TEST_F(sqlite_projection, takes_over_what_an_earlier_version_wrote) {
  auto x = next_slice();
  x.submissions_put = {a_submission(1)};
  x.submissions_put[0].submission.trace.clear();
  apply(x);
  const auto before = contents();
  close();
  run_sql(path(), "ALTER TABLE submissions DROP COLUMN trace;"
                  "DROP TABLE batches; DROP TABLE jobs;"
                  "DROP TABLE records; DROP TABLE record_totals;"
                  "DROP TABLE ring_costs; DROP TABLE contents;"
                  "DROP TABLE item_pages; DROP TABLE item_lanes;"
                  "DROP TABLE item_gaps;"
                  "ALTER TABLE submissions DROP COLUMN digest;"
                  "ALTER TABLE meta DROP COLUMN ring_costs;"
                  "ALTER TABLE meta DROP COLUMN ring_costs_sum;"
                  "ALTER TABLE meta DROP COLUMN records;"
                  "ALTER TABLE meta DROP COLUMN records_sum;"
                  "ALTER TABLE meta DROP COLUMN record_totals;"
                  "ALTER TABLE meta DROP COLUMN record_totals_sum;"
                  "ALTER TABLE meta DROP COLUMN batches;"
                  "ALTER TABLE meta DROP COLUMN batches_sum;"
                  "ALTER TABLE meta DROP COLUMN jobs;"
                  "ALTER TABLE meta DROP COLUMN jobs_sum;"
                  "PRAGMA user_version = 1");
  for (int round = 0; round < 2; ++round) {
    open(path());
    EXPECT_EQ(contents(), before);
    close();
  }
  open(path());
  x = next_slice();
  x.submissions_put = {a_submission(2)};
  apply(x);
  EXPECT_EQ(contents().submissions.front(), a_submission(2));
  x = next_slice();
  x.batches_put = {a_batch(3)};
  x.jobs_put = {a_job(4, 3)};
  apply(x);
  close();
  open(path());
  EXPECT_EQ(contents().jobs, x.jobs_put);
  x = next_slice();
  x.records_put = {a_record("k", 3)};
  apply(x);
  reopen();
  EXPECT_EQ(contents().records, x.records_put);
  x = next_slice();
  x.submissions_put = {a_submission(5)};
  x.submissions_put[0].contents = "<a/>";
  apply(x);
  const auto found = store->submissions({.id = 5, .with_contents = true});
  ASSERT_TRUE(found) << render(found.error());
  EXPECT_EQ(*found, x.submissions_put);
}

TEST_F(sqlite_projection, names_contents_that_were_changed_or_are_missing) {
  auto x = next_slice();
  x.submissions_put = {a_submission(5)};
  x.submissions_put[0].submission.blob.clear();
  x.submissions_put[0].contents = "<a/>";
  apply(x);
  for (const auto* damage :
       {"UPDATE contents SET contents = '<b/>'", "DELETE FROM contents"}) {
    close();
    run_sql(path(), damage);
    open(path());
    const auto found = store->submissions({.id = 5, .with_contents = true});
    ASSERT_FALSE(found) << damage;
    expect_refused(found.error(), ec::store_damaged, path());
    EXPECT_NE(render(found.error()).find("contents of submission 5"),
              std::string::npos);
    EXPECT_TRUE(store->submissions({.id = 5})) << "nobody needs them";
  }
}

TEST_F(sqlite_projection, keeps_what_was_committed_across_a_crash) {
  fill();
  const auto before = contents();
  auto more = next_slice();
  more.items_put = {an_item(1000)};
  apply_for_now(more);
  EXPECT_EQ(contents().reached, 4u);
  // What the disk holds at this moment is what a killed process leaves.
  const auto copy = path().parent_path() / "crashed.db";
  std::filesystem::copy_file(path(), copy);
  std::filesystem::copy_file(log_of(path()), log_of(copy));
  close();
  open(copy);
  EXPECT_EQ(contents(), before);
}

TEST_F(sqlite_projection, keeps_all_there_is_when_it_is_closed) {
  fill();
  auto more = next_slice();
  more.items_put = {an_item(1000)};
  apply_for_now(more);
  reopen();
  EXPECT_EQ(contents().reached, 4u);
  EXPECT_EQ(contents().items.size(), 61u);
}

TEST_F(sqlite_projection, goes_back_to_what_was_committed_if_a_slice_fails) {
  fill();
  const auto before = contents();
  auto more = next_slice();
  more.items_put = {an_item(1000)};
  more.controls = {{.kind = 9, .key = "1", .value = "changed"}};
  apply_for_now(more);
  auto wrong = next_slice();
  wrong.items_gone = {1, 5000};
  EXPECT_EQ(store->apply(wrong).error(), ec::store_damaged);
  EXPECT_EQ(contents(), before);
  apply(more);
  EXPECT_EQ(contents().items.size(), 61u);
}

TEST_F(sqlite_projection, goes_back_one_slice_if_the_last_was_cut_off) {
  fill();
  const auto before = contents();
  const auto log_bytes = std::filesystem::file_size(log_of(path()));
  auto x = next_slice();
  for (item_id id = 1000; id < 1200; ++id)
    x.items_put.push_back(an_item(id));
  apply(x);
  const auto copy = path().parent_path() / "crashed.db";
  std::filesystem::copy_file(path(), copy);
  std::filesystem::copy_file(log_of(path()), log_of(copy));
  std::filesystem::resize_file(log_of(copy), log_bytes + 5000);
  close();
  open(copy);
  EXPECT_EQ(contents(), before);
}

TEST_F(sqlite_projection, is_for_one_program_at_a_time) {
  fill();
  const auto second = open_sqlite_projection(path());
  ASSERT_FALSE(second);
  expect_refused(second.error(), ec::store_failed, path());
  auto x = next_slice();
  x.items_gone = {1};
  apply(x);
}

TEST_F(sqlite_projection, is_readable_by_its_owner_only) {
  using std::filesystem::perms;
  for (const auto& file : {path(), log_of(path())})
    EXPECT_EQ(std::filesystem::status(file).permissions()
                & (perms::group_all | perms::others_all),
              perms::none)
      << file;
}

TEST_F(sqlite_projection, is_made_anew_after_a_crash_while_it_was_made) {
  close();
  std::filesystem::remove(path());
  write_bytes(path().string() + ".new", "half made");
  open(path());
  EXPECT_EQ(contents().reached, 0u);
  EXPECT_FALSE(std::filesystem::exists(path().string() + ".new"));
}

TEST_F(sqlite_projection, says_that_its_folder_is_missing) {
  const auto nowhere = path().parent_path() / "no" / "projection.db";
  expect_refused(open_sqlite_projection(nowhere).error(), ec::store_failed,
                 nowhere);
}

// -- full disks

TEST_F(sqlite_projection, changes_nothing_when_the_file_may_not_grow) {
  fill();
  close();
  const auto pages = std::filesystem::file_size(path()) / 4096 + 2;
  open(path(), {.pages_max = static_cast<std::uint32_t>(pages),
                .pages = one_by_one});
  const auto before = contents();
  auto x = next_slice();
  for (item_id id = 1000; id < 3000; ++id)
    x.items_put.push_back(an_item(id));
  const auto done = store->apply(x);
  ASSERT_FALSE(done);
  expect_refused(done.error(), ec::store_failed, path());
  EXPECT_NE(render(done.error()).find("full"), std::string::npos)
    << render(done.error());
  EXPECT_EQ(contents(), before);
  reopen();
  apply(x);
  EXPECT_EQ(contents().items.size(), before.items.size() + 2000);
}

TEST_F(sqlite_projection, goes_back_if_a_commit_finds_the_disk_full) {
  fill();
  const auto before = contents();
  std::vector<slice> slices(2);
  for (auto& x : slices) {
    x = next_slice();
    for (item_id id = 0; id < 1000; ++id)
      x.items_put.push_back(an_item(x.last * 1000 + id));
    apply_for_now(x);
  }
  {
    const full_disk full{std::filesystem::file_size(log_of(path())) + 10'000};
    expect_refused(store->commit(), ec::store_failed, path());
    EXPECT_EQ(contents(), before);
  }
  for (const auto& x : slices)
    apply(x);
  EXPECT_EQ(contents().items.size(), before.items.size() + 2000);
}

// -- what it takes on disk

TEST_F(sqlite_projection, keeps_its_log_short) {
  const std::string megabyte(1 << 20, 'm');
  std::uintmax_t longest = 0;
  for (int i = 0; i < 80; ++i) {
    auto x = next_slice();
    x.controls = {{.kind = 1, .key = "k", .value = megabyte}};
    apply(x);
    longest = std::max(longest, std::filesystem::file_size(log_of(path())));
  }
  EXPECT_LT(longest, 40u << 20);
}

TEST_F(sqlite_projection, gives_space_back_when_a_backlog_is_gone) {
  const std::string megabyte(1 << 20, 'm');
  auto backlog = next_slice();
  for (int i = 0; i < 60; ++i)
    backlog.controls.push_back(
      {.kind = 1, .key = std::to_string(i), .value = megabyte});
  apply(backlog);
  auto gone = next_slice();
  for (int i = 0; i < 60; ++i)
    gone.controls.push_back({.kind = 1, .key = std::to_string(i)});
  apply(gone);
  for (int i = 0; i < 250; ++i) {
    auto x = next_slice();
    x.controls = {{.kind = 1, .key = "k", .value = megabyte}};
    apply(x);
  }
  EXPECT_LT(std::filesystem::file_size(path()), 20u << 20);
  reopen();
}

// -- backup

TEST_F(sqlite_projection, makes_a_copy_that_a_store_can_start_on) {
  fill();
  const auto before = contents();
  const auto folder = path().parent_path() / "backup";
  std::filesystem::create_directory(folder);
  ASSERT_FALSE(store->backup(folder));
  auto x = next_slice();
  x.items_gone = {1};
  apply(x);
  close();
  open(folder / "projection.db");
  auto after = contents();
  after.id_max = before.id_max;
  EXPECT_EQ(after, before);
  x.items_gone = {2};
  apply(x);
}

TEST_F(sqlite_projection, gives_no_number_in_a_copy_that_came_after_it) {
  fill();
  const auto last = store->id_max();
  const auto folder = path().parent_path() / "backup";
  std::filesystem::create_directory(folder);
  ASSERT_FALSE(store->backup(folder));
  EXPECT_EQ(store->id_max(), last);
  close();
  open(folder / "projection.db");
  EXPECT_EQ(store->id_max(), last + 1'000'000);
}

TEST_F(sqlite_projection, never_overwrites_a_copy) {
  const auto there = path().parent_path() / "backup" / "projection.db";
  std::filesystem::create_directory(there.parent_path());
  write_bytes(there, "precious");
  EXPECT_EQ(store->backup(there.parent_path()), ec::already_exists);
  EXPECT_EQ(bytes_of(there), "precious");
}

TEST_F(sqlite_projection, leaves_no_half_a_copy) {
  fill();
  const auto folder = path().parent_path() / "backup";
  std::filesystem::create_directory(folder);
  {
    const full_disk full{8192};
    EXPECT_EQ(store->backup(folder), ec::store_failed);
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder));
  ASSERT_FALSE(store->backup(folder));
}

} // namespace

} // namespace depositd
