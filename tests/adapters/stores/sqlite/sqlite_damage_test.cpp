// What is damaged is refused by name, never used, cleaned or made again.

#include "tests/adapters/stores/sqlite/projection_fixture.hpp"

namespace depositd {

namespace {

class damaged_projection : public projection_fixture {
protected:
  void SetUp() override {
    projection_fixture::SetUp();
    fill();
    whole_ = contents();
    close();
  }

  /// Opening is refused, and the file stays as it is.
  void expect_not_opened(ec code, const std::string& because) {
    const auto before = bytes_of(path());
    const auto opened = open_sqlite_projection(path());
    ASSERT_FALSE(opened);
    expect_refused(opened.error(), code, path());
    EXPECT_NE(render(opened.error()).find(because), std::string::npos)
      << render(opened.error());
    EXPECT_TRUE(bytes_of(path()) == before) << "the file was changed";
  }

  /// Reading everything is refused.
  void expect_not_read(const std::string& because) {
    auto opened = open_sqlite_projection(path());
    everything out;
    const auto error =
      opened ? read_all(**opened, out) : std::move(opened.error());
    expect_refused(error, ec::store_damaged, path());
    EXPECT_NE(render(error).find(because), std::string::npos) << render(error);
  }

  void change(const char* sql) {
    run_sql(path(), sql);
  }

  everything whole_;
};

TEST_F(damaged_projection, is_refused_if_it_is_empty) {
  write_bytes(path(), "");
  expect_not_opened(ec::store_damaged, "empty");
}

TEST_F(damaged_projection, is_refused_if_it_is_no_database) {
  write_bytes(path(), std::string(20'000, 'x'));
  expect_not_opened(ec::store_damaged, "not a database");
}

TEST_F(damaged_projection, is_refused_if_another_program_made_it) {
  std::filesystem::remove(path());
  change(
    "CREATE TABLE items (id INTEGER PRIMARY KEY); PRAGMA user_version = 1");
  expect_not_opened(ec::store_damaged, "not a projection");
}

TEST_F(damaged_projection, is_refused_if_another_version_made_it) {
  change("PRAGMA user_version = 9");
  expect_not_opened(ec::store_failed, "schema version 9");
  expect_not_opened(ec::store_failed, "of a later depositd");
}

TEST_F(damaged_projection, is_refused_if_only_its_log_is_left) {
  std::filesystem::rename(path(), log_of(path()));
  const auto opened = open_sqlite_projection(path());
  ASSERT_FALSE(opened);
  expect_refused(opened.error(), ec::store_damaged, path());
  EXPECT_FALSE(std::filesystem::exists(path()));
}

TEST_F(damaged_projection, is_refused_if_it_is_cut_off) {
  const auto bytes = std::filesystem::file_size(path());
  for (const auto left :
       {bytes - 4096, bytes / 2, std::uintmax_t{5000}, std::uintmax_t{50}}) {
    std::filesystem::resize_file(path(), left);
    expect_not_opened(ec::store_damaged, "SQLite");
  }
}

TEST_F(damaged_projection, is_refused_if_its_marks_were_changed) {
  change("UPDATE meta SET reached = reached + 1");
  expect_not_opened(ec::store_damaged, "meta");
}

TEST_F(damaged_projection, is_refused_if_its_marks_are_gone) {
  change("DELETE FROM meta");
  expect_not_opened(ec::store_damaged, "meta");
}

TEST_F(damaged_projection, names_the_item_that_was_changed) {
  change("UPDATE items SET attempt = 5 WHERE id = 17");
  expect_not_read("item 17");
}

TEST_F(damaged_projection, notices_that_an_item_is_missing) {
  change("DELETE FROM items WHERE id = 17");
  expect_not_read("table items");
}

TEST_F(damaged_projection, notices_an_item_too_many) {
  change("CREATE TABLE kept AS SELECT * FROM items WHERE id = 17");
  open(path());
  auto x = next_slice();
  x.items_gone = {17};
  apply(x);
  close();
  change("INSERT INTO items SELECT * FROM kept; DROP TABLE kept");
  expect_not_read("table items");
}

TEST_F(damaged_projection, notices_an_item_as_it_was_earlier) {
  change("CREATE TABLE kept AS SELECT * FROM items WHERE id = 17");
  open(path());
  auto x = next_slice();
  x.items_changed = {{.id = 17, .attempt = 1, .has_claim_state = true}};
  apply(x);
  close();
  change("DELETE FROM items WHERE id = 17;"
         "INSERT INTO items SELECT * FROM kept; DROP TABLE kept");
  expect_not_read("table items");
}

TEST_F(damaged_projection, names_the_place_in_a_ring_that_was_changed) {
  change("UPDATE rings SET stamp = 5 WHERE user = 'user3'");
  expect_not_read("user3");
}

TEST_F(damaged_projection, notices_that_a_place_in_a_ring_is_missing) {
  change("DELETE FROM rings WHERE user = 'user3'");
  expect_not_read("table rings");
}

TEST_F(damaged_projection, names_the_control_row_that_was_changed) {
  change("UPDATE controls SET value = 'more' WHERE key = '3'");
  expect_not_read("control 9 of 3");
}

TEST_F(damaged_projection, notices_that_a_control_row_is_missing) {
  change("DELETE FROM controls WHERE key = '3'");
  expect_not_read("table controls");
}

TEST_F(damaged_projection, names_the_submission_that_was_changed) {
  change("UPDATE submissions SET failed = 1 WHERE id = 3");
  expect_not_read("submission 3");
}

TEST_F(damaged_projection, names_the_document_that_was_changed) {
  change("UPDATE documents SET document = 'all good' WHERE id = 1");
  expect_not_read("document of submission 1");
}

TEST_F(damaged_projection, names_the_document_that_is_missing) {
  change("DELETE FROM documents WHERE id = 1");
  expect_not_read("document of submission 1");
}

TEST_F(damaged_projection, names_the_work_that_was_changed) {
  change("UPDATE batches SET note = 'other' WHERE id = 71");
  expect_not_read("batch 71");
  change("UPDATE batches SET note = 'a note' WHERE id = 71;"
         "UPDATE jobs SET title = 'other' WHERE id = 273");
  expect_not_read("job 273");
}

TEST_F(damaged_projection, notices_that_a_live_batch_is_missing) {
  change("DELETE FROM batches WHERE id = 72");
  expect_not_read("table batches");
}

TEST_F(damaged_projection, notices_that_a_live_job_is_missing) {
  change("DELETE FROM jobs WHERE id = 173");
  expect_not_read("table jobs");
}

TEST_F(damaged_projection, names_the_record_that_was_changed) {
  change("UPDATE records SET id = 5 WHERE key = 'k83'");
  expect_not_read("record k83 of source a");
}

TEST_F(damaged_projection, notices_that_a_record_is_missing) {
  change("DELETE FROM records WHERE key = 'k83'");
  expect_not_read("table records");
}

TEST_F(damaged_projection, names_the_totals_that_were_changed) {
  change("UPDATE record_totals SET finished = 5");
  expect_not_read("totals of source a");
}

TEST_F(damaged_projection, changes_no_damaged_job) {
  change("UPDATE jobs SET attempt = 5 WHERE id = 173");
  open(path());
  auto x = next_slice();
  x.jobs_changed = {{.id = 173, .attempt = 1}};
  EXPECT_EQ(store->apply(x).error(), ec::store_damaged);
  EXPECT_EQ(store->reached(), whole_.reached);
}

TEST_F(damaged_projection, changes_no_damaged_item) {
  change("UPDATE items SET attempt = 5 WHERE id = 17");
  open(path());
  auto x = next_slice();
  x.items_gone = {1};
  x.items_changed = {{.id = 17, .attempt = 1, .has_claim_state = true}};
  EXPECT_EQ(store->apply(x).error(), ec::store_damaged);
  EXPECT_EQ(store->reached(), whole_.reached);
  EXPECT_TRUE(store->item(1));
}

// A flipped bit anywhere either changes nothing that is read or is refused.
TEST_F(damaged_projection, never_passes_for_whole_with_a_bit_flipped) {
  const auto bytes = bytes_of(path());
  std::size_t refused = 0;
  for (std::size_t at = 0; at < bytes.size(); at += 61) {
    auto changed = bytes;
    changed[at] = static_cast<char>(changed[at] ^ (1 << (at % 8)));
    write_bytes(path(), changed);
    everything found;
    // Without SQLite's own check: checksums must do.
    auto opened = open_sqlite_projection(path(), {.checked_bytes_max = 0});
    const auto error =
      opened ? read_all(**opened, found) : std::move(opened.error());
    if (error) {
      ++refused;
      EXPECT_TRUE(error == ec::store_damaged || error == ec::store_failed)
        << render(error);
    } else {
      EXPECT_TRUE(found == whole_) << "wrong contents, byte " << at;
    }
  }
  EXPECT_GT(refused, 50u);
}

TEST_F(damaged_projection, is_refused_at_once_if_an_index_is_wrong) {
  const auto bytes = bytes_of(path());
  // The index holds the queue's name next to the priority.
  auto changed = bytes;
  std::size_t flipped = 0;
  for (auto at = changed.find("metadata\5"); at != std::string::npos;
       at = changed.find("metadata\5", at + 1)) {
    changed[at] = 'M';
    ++flipped;
  }
  ASSERT_GT(flipped, 50u);
  write_bytes(path(), changed);
  expect_not_opened(ec::store_damaged, "index");
}

} // namespace

} // namespace depositd
