#include "tests/adapters/doors/drop/drop_world.hpp"

namespace depositd::drop {
namespace {

TEST_F(drop_folder_test, a_whole_file_becomes_a_metadata_deposit) {
  open_door();
  write(user_ / "a.xml", "<doi_batch/>");
  scans(2);
  ASSERT_EQ(engine_.taken.size(), 1u);
  const auto& got = engine_.taken[0];
  EXPECT_EQ(got.queue, "metadata");
  EXPECT_EQ(got.user, "alice");
  EXPECT_EQ(got.submission.file_name, "a.xml");
  EXPECT_EQ(got.submission.operation, "doMDUpload");
  EXPECT_EQ(got.submission.login, "alice");
  EXPECT_EQ(got.submission.source, "drop");
  EXPECT_EQ(got.submission.size, 12u);
  EXPECT_EQ(*blobs_->get(got.submission.blob), "<doi_batch/>");
  EXPECT_FALSE(fs::exists(user_ / "a.xml"));
  EXPECT_EQ(text_of(user_ / ".done/41-a.xml"), "<doi_batch/>");
}

TEST_F(drop_folder_test, keeps_its_store_when_nobody_else_does) {
  const std::weak_ptr<blob_store> store = blobs_;
  open_door();
  options_.blobs.reset();
  blobs_.reset();
  ASSERT_FALSE(store.expired()) << "a scan may be under way";
  write(user_ / "a.xml", "<x/>");
  scans(2);
  ASSERT_EQ(engine_.taken.size(), 1u);
  EXPECT_EQ(*store.lock()->get(engine_.taken[0].submission.blob), "<x/>");
}

TEST_F(drop_folder_test, takes_nothing_once_it_has_been_ended) {
  const std::weak_ptr<blob_store> store = blobs_;
  open_door();
  options_.blobs.reset();
  blobs_.reset();
  write(user_ / "a.xml");
  scans(1);
  caf::anon_send_exit(*door_, caf::exit_reason::kill);
  scans(5);
  EXPECT_TRUE(engine_.taken.empty());
  EXPECT_TRUE(fs::exists(user_ / "a.xml")) << "it waits for the next engine";
  EXPECT_TRUE(store.expired()) << "who has ended holds nothing";
}

TEST_F(drop_folder_test, accepted_files_are_removed_if_so_wanted) {
  options_.keep_done = false;
  open_door();
  write(user_ / "a.xml");
  scans(5);
  EXPECT_EQ(engine_.taken.size(), 1u);
  EXPECT_FALSE(fs::exists(user_ / "a.xml"));
  EXPECT_TRUE(fs::is_empty(user_ / ".done"));
}

TEST_F(drop_folder_test, a_growing_file_is_not_taken) {
  open_door();
  std::string text;
  for (int i = 0; i < 5; ++i) {
    text += "<x/>";
    write(user_ / "a.xml", text);
    scans(1);
    EXPECT_TRUE(engine_.taken.empty());
  }
  scans(1);
  ASSERT_EQ(engine_.taken.size(), 1u);
  EXPECT_EQ(*blobs_->get(engine_.taken[0].submission.blob), text);
}

TEST_F(drop_folder_test, a_file_that_a_writer_has_open_is_not_taken) {
  write(user_ / "a.xml");
  {
    const unique_fd probe{::open((user_ / "a.xml").c_str(), O_RDONLY)};
    if (::fcntl(probe.value(), F_SETLEASE, F_RDLCK) != 0)
      GTEST_SKIP() << "this file system gives no leases";
  }
  options_.files_per_scan_max = 1;
  open_door();
  std::ofstream writer{user_ / "a.xml", std::ios::app};
  scans(5);
  EXPECT_TRUE(engine_.taken.empty());
  write(user_ / "b.xml");
  scans(3);
  ASSERT_EQ(engine_.taken.size(), 1u) << "the open file stands in the way";
  EXPECT_EQ(engine_.taken[0].submission.file_name, "b.xml");
  writer.close();
  scans(2);
  EXPECT_EQ(engine_.taken.size(), 2u);
}

TEST_F(drop_folder_test, polling_is_switched_off_and_on) {
  open_door();
  write(user_ / "a.xml");
  scans(1);
  permit({"alice"}, false);
  scans(5);
  EXPECT_TRUE(engine_.taken.empty());
  permit({"alice"}, true);
  scans(1);
  EXPECT_TRUE(engine_.taken.empty()) << "seen once since polling is on";
  scans(1);
  EXPECT_EQ(engine_.taken.size(), 1u);
}

TEST_F(drop_folder_test, only_plain_files_are_taken) {
  temporary_folder elsewhere;
  write(elsewhere.path() / "secret.xml");
  fs::create_symlink(elsewhere.path() / "secret.xml", user_ / "link.xml");
  fs::create_directory_symlink(elsewhere.path(), root_.path() / "bob");
  fs::create_directory(user_ / "folder");
  write(user_ / "folder/a.xml");
  write(user_ / ".hidden");
  write(user_ / "a.xml.part");
  write(user_ / "a.xml.tmp");
  write(user_ / "empty.xml", "");
  write(root_.path() / "a.xml");
  ASSERT_EQ(::mkfifo((user_ / "pipe.xml").c_str(), 0600), 0);
  permit({"alice", "bob"});
  open_door();
  scans(5);
  EXPECT_TRUE(engine_.taken.empty());
  EXPECT_TRUE(fs::is_symlink(user_ / "link.xml"));
  EXPECT_FALSE(fs::exists(user_ / ".refused"));
}

TEST_F(drop_folder_test, too_large_a_file_is_refused_with_the_reason) {
  options_.file_bytes_max = 3;
  open_door();
  write(user_ / "a.xml", "1234");
  write(user_ / "b.xml", "123");
  scans(2);
  ASSERT_EQ(engine_.taken.size(), 1u);
  EXPECT_EQ(engine_.taken[0].submission.file_name, "b.xml");
  EXPECT_EQ(text_of(user_ / ".refused/a.xml"), "1234");
  EXPECT_EQ(text_of(user_ / ".refused/a.xml.reason"),
            "the file has more than 3 bytes\n");
}

TEST(drop_readings, fail_for_a_disk_without_a_fault_of_the_file) {
  EXPECT_EQ(after_open_failed(EIO), reading_state::unread);
  for (const auto code : {EACCES, EPERM, EOVERFLOW})
    EXPECT_EQ(after_open_failed(code), reading_state::unfit) << code;
  for (const auto code : {ENOENT, EMFILE, ELOOP})
    EXPECT_EQ(after_open_failed(code), reading_state::not_now) << code;
}

TEST_F(drop_folder_test, what_the_engine_refuses_keeps_its_earlier_namesake) {
  engine_.refusal = caf::make_error(ec::invalid_argument, "no such thing");
  open_door();
  write(user_ / "a.xml", "first");
  scans(2);
  write(user_ / "a.xml", "second");
  scans(2);
  EXPECT_EQ(text_of(user_ / ".refused/a.xml"), "first");
  EXPECT_EQ(text_of(user_ / ".refused/a.xml.2"), "second");
  EXPECT_EQ(text_of(user_ / ".refused/a.xml.2.reason"), "no such thing\n");
}

TEST_F(drop_folder_test, a_crash_before_the_move_makes_no_duplicate) {
  engine_.silent = true;
  open_door();
  write(user_ / "a.xml");
  engine_.now_us = wall_us(); // received after it was written
  scans(2);
  ASSERT_EQ(engine_.taken.size(), 1u);
  ASSERT_TRUE(fs::exists(user_ / "a.xml"));
  caf::anon_send_exit(*door_, caf::exit_reason::kill);
  settle();
  engine_.silent = false;
  open_door();
  scans(5);
  EXPECT_EQ(engine_.taken.size(), 1u);
  EXPECT_FALSE(fs::exists(user_ / "a.xml"));
  EXPECT_TRUE(fs::exists(user_ / ".done/41-a.xml"));
}

TEST_F(drop_folder_test, an_answer_that_is_lost_makes_no_duplicate) {
  engine_.silent = true;
  open_door();
  write(user_ / "a.xml");
  engine_.now_us = wall_us();
  scans(2);
  ASSERT_EQ(engine_.taken.size(), 1u);
  advance(options_.request_timeout);
  advance(options_.retry_pause);
  scans(2);
  EXPECT_EQ(engine_.taken.size(), 1u);
  EXPECT_TRUE(fs::exists(user_ / ".done/41-a.xml"));
}

TEST_F(drop_folder_test, the_same_file_dropped_again_is_submitted_again) {
  open_door();
  write(user_ / "a.xml");
  engine_.now_us = changed_us(user_ / "a.xml");
  scans(2);
  ASSERT_EQ(engine_.taken.size(), 1u);
  // The file system's clock ticks every few milliseconds.
  do
    write(user_ / "a.xml");
  while (changed_us(user_ / "a.xml") == engine_.now_us);
  scans(2);
  EXPECT_EQ(engine_.taken.size(), 2u);
  EXPECT_TRUE(fs::exists(user_ / ".done/42-a.xml"));
}

TEST_F(drop_folder_test, other_doors_submissions_are_no_repeats) {
  write(user_ / "a.xml");
  submission_row row;
  row.id = 7;
  row.user = "alice";
  row.submission.file_name = "a.xml";
  row.submission.source = "http";
  row.submission.blob = *blobs_->put("<x/>");
  row.received_us = wall_us() + 1'000'000;
  engine_.rows.push_back(row);
  open_door();
  scans(2);
  EXPECT_EQ(engine_.taken.size(), 1u);
}

TEST_F(drop_folder_test, a_file_replaced_meanwhile_is_another_file) {
  open_door();
  write(user_ / "a.xml", "old");
  engine_.on_take = [this] {
    engine_.on_take = nullptr;
    write(user_ / ".new", "new");
    fs::rename(user_ / ".new", user_ / "a.xml");
  };
  scans(5);
  ASSERT_EQ(engine_.taken.size(), 2u);
  EXPECT_EQ(*blobs_->get(engine_.taken[0].submission.blob), "old");
  EXPECT_EQ(*blobs_->get(engine_.taken[1].submission.blob), "new");
  EXPECT_EQ(text_of(user_ / ".done/42-a.xml"), "new");
}

} // namespace
} // namespace depositd::drop
