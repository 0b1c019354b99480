// Whose files a scan takes, how many, and what makes them wait.

#include "tests/adapters/doors/drop/drop_world.hpp"

namespace depositd::drop {
namespace {

TEST_F(drop_folder_test, a_folder_without_account_is_told_of_once) {
  fs::create_directory(root_.path() / "carol");
  const testing::captured_log log;
  open_door();
  scans(3);
  EXPECT_EQ(log.count("drop_folder_without_account"), 1u);
}

TEST_F(drop_folder_test, a_folder_without_account_is_left_alone) {
  fs::create_directory(root_.path() / "carol");
  fs::create_directory(root_.path() / "not a user");
  write(root_.path() / "carol/a.xml");
  write(root_.path() / "not a user/a.xml");
  permit({"alice", "not a user"});
  open_door();
  scans(5);
  EXPECT_TRUE(engine_.taken.empty());
  EXPECT_TRUE(fs::exists(root_.path() / "carol/a.xml"));
  permit({"alice", "carol"});
  scans(2);
  ASSERT_EQ(engine_.taken.size(), 1u);
  EXPECT_EQ(engine_.taken[0].user, "carol");
}

TEST_F(drop_folder_test, at_the_pending_limit_files_wait) {
  engine_.refusal = caf::make_error(ec::pending_limit_reached, "too many");
  open_door();
  write(user_ / "a.xml");
  scans(3);
  EXPECT_TRUE(fs::exists(user_ / "a.xml"));
  engine_.refusal = caf::error{};
  scans(2);
  EXPECT_TRUE(engine_.taken.empty()) << "the pause is not over";
  advance(options_.retry_pause);
  scans(1);
  EXPECT_EQ(engine_.taken.size(), 1u);
  EXPECT_FALSE(fs::exists(user_ / ".refused"));
}

TEST_F(drop_folder_test, files_wait_while_nobody_knows_what_came_before) {
  engine_.blindness = caf::make_error(ec::store_failed, "the tables");
  open_door();
  write(user_ / "a.xml");
  scans(3);
  EXPECT_TRUE(engine_.taken.empty()) << "it may have come before";
  engine_.blindness = caf::error{};
  advance(options_.retry_pause);
  scans(1);
  EXPECT_EQ(engine_.taken.size(), 1u);
}

TEST_F(drop_folder_test, files_wait_while_there_is_no_room_for_them) {
  options_.blobs = std::make_shared<full_blobs>();
  open_door();
  write(user_ / "a.xml");
  scans(3);
  EXPECT_TRUE(engine_.taken.empty());
  EXPECT_TRUE(fs::exists(user_ / "a.xml"));
}

TEST_F(drop_folder_test, files_wait_while_their_folder_cannot_be_listed) {
  open_door();
  write(user_ / "a.xml");
  scans(1);
  {
    // The folder of all, and the user's; none to look into that.
    const few_descriptors two{2};
    scans(2);
  }
  scans(2);
  EXPECT_TRUE(engine_.taken.empty()) << "the pause is not over";
  advance(options_.retry_pause);
  scans(1);
  EXPECT_EQ(engine_.taken.size(), 1u);
}

TEST_F(drop_folder_test, names_are_kept_as_they_are) {
  const std::vector<std::string> names = {"two words.xml",
                                          "Zürich \xe6\x97\xa5.xml",
                                          "two\nlines.xml",
                                          "not\xff"
                                          "utf-8",
                                          "-rf; $(x) '\"\\",
                                          std::string(255, 'x')};
  open_door();
  for (const auto& name : names)
    write(user_ / name);
  scans(2);
  std::set<std::string> got;
  for (const auto& x : engine_.taken)
    got.insert(x.submission.file_name);
  EXPECT_EQ(got, (std::set<std::string>{names.begin(), names.end()}));
  for (const auto& row : engine_.rows) {
    const auto kept = std::to_string(row.id) + "-" + row.submission.file_name;
    EXPECT_TRUE(fs::exists(user_ / ".done" / kept.substr(0, 239))) << kept;
  }
}

TEST_F(drop_folder_test, nothing_is_taken_that_could_not_be_moved) {
  temporary_folder elsewhere;
  fs::create_directory_symlink(elsewhere.path(), user_ / ".done");
  open_door();
  write(user_ / "a.xml");
  scans(5);
  EXPECT_TRUE(engine_.taken.empty());
  EXPECT_TRUE(fs::is_empty(elsewhere.path()));
  fs::remove(user_ / ".done");
  advance(options_.retry_pause);
  scans(1);
  EXPECT_EQ(engine_.taken.size(), 1u);
}

TEST_F(drop_folder_test, a_scan_takes_no_more_than_its_bound) {
  options_.files_per_scan_max = 2;
  fs::create_directory(root_.path() / "bob");
  permit({"alice", "bob"});
  open_door();
  for (const auto* name : {"1", "2", "3", "4"})
    write(user_ / name);
  write(root_.path() / "bob/5");
  scans(2);
  EXPECT_EQ(engine_.taken.size(), 2u);
  EXPECT_EQ(engine_.taken.back().user, "bob") << "one user's files fill it";
  scans(3);
  EXPECT_EQ(engine_.taken.size(), 5u);
}

TEST_F(drop_folder_test, what_is_on_its_way_counts_in_the_bound_of_a_scan) {
  options_.files_per_scan_max = 4;
  permit({"alice", "bob"});
  engine_.silent = true;
  open_door();
  for (const auto* name : {"1", "2", "3"})
    write(user_ / name);
  scans(2);
  engine_.silent = false;
  fs::create_directory(root_.path() / "bob");
  for (const auto* name : {"4", "5", "6"})
    write(root_.path() / "bob" / name);
  scans(2);
  EXPECT_EQ(engine_.taken.size(), 2u) << "three of alice's wait for an answer";
  scans(1);
  EXPECT_EQ(engine_.taken.size(), 3u);
}

TEST_F(drop_folder_test, a_scan_looks_into_no_more_folders_than_it_may) {
  options_.folders_per_scan_max = 1;
  fs::create_directory(root_.path() / "bob");
  permit({"alice", "bob"});
  open_door();
  write(user_ / "1");
  write(root_.path() / "bob/2");
  scans(3);
  EXPECT_EQ(engine_.taken.size(), 1u) << "the first has been seen twice";
  scans(1);
  EXPECT_EQ(engine_.taken.size(), 2u);
}

TEST_F(drop_folder_test, a_folder_that_comes_late_is_found) {
  fs::remove(user_);
  options_.path = root_.path() / "later";
  open_door();
  scans(2);
  fs::create_directories(options_.path / "alice");
  write(options_.path / "alice/a.xml");
  scans(2);
  EXPECT_EQ(engine_.taken.size(), 1u);
}

} // namespace
} // namespace depositd::drop
