#include "adapters/stores/files/shard_folders.hpp"
#include "tests/support/temporary_folder.hpp"

#include <fstream>

#include <gtest/gtest.h>

namespace depositd {

namespace {

namespace fs = std::filesystem;

class shard_folders_test : public ::testing::Test {
protected:
  caf::expected<unique_fd> lock(shard_number count) {
    return lock_shards(system_disk(), home.path(), count);
  }

  /// None if it is not refused.
  static caf::error error_of(const auto& x) {
    return x ? caf::error{} : x.error();
  }

  void write_count(const std::string& text) {
    fs::create_directories(home.path() / "shards");
    std::ofstream{home.path() / "shards" / "count"} << text;
  }

  temporary_folder home;
};

} // namespace

TEST_F(shard_folders_test, a_folder_keeps_the_number_it_was_begun_with) {
  ASSERT_TRUE(lock(3));
  EXPECT_EQ(*shards_in_folder(home.path()), 3u);
  ASSERT_TRUE(lock(3));
  const auto other = error_of(lock(2));
  EXPECT_EQ(other, ec::bad_setting);
  EXPECT_EQ(render(other),
            "shards.count: this data folder has 3 for ever, not 2");
  EXPECT_EQ(check_only_shard(home.path()), ec::bad_setting);
}

TEST_F(shard_folders_test, a_folder_of_one_shard_has_one_for_ever) {
  EXPECT_FALSE(check_only_shard(home.path()));
  fs::create_directories(home.path() / "journal");
  EXPECT_EQ(error_of(lock(2)), ec::bad_setting);
  EXPECT_EQ(*shards_in_folder(home.path()), 1u);
  EXPECT_FALSE(check_only_shard(home.path()));
}

TEST_F(shard_folders_test, one_engine_has_it_at_a_time) {
  auto first = lock(2);
  ASSERT_TRUE(first);
  EXPECT_EQ(error_of(lock(2)), ec::store_failed);
  *first = {};
  EXPECT_TRUE(lock(2));
}

TEST_F(shard_folders_test, a_number_that_is_none_is_damage) {
  for (const auto* text : {"", "2", "1\n", "0\n", "-2\n", "2 \n", "two\n",
                           "99999999999\n"}) {
    write_count(text);
    EXPECT_EQ(error_of(shards_in_folder(home.path())), ec::store_damaged)
      << text;
    EXPECT_EQ(error_of(lock(2)), ec::store_damaged) << text;
    EXPECT_EQ(check_only_shard(home.path()), ec::store_damaged) << text;
  }
}

TEST_F(shard_folders_test, each_shard_has_a_folder) {
  EXPECT_EQ(shard_folder("d", 0), fs::path{"d/shards/0"});
  EXPECT_EQ(shard_folder("d", 12), fs::path{"d/shards/12"});
}

} // namespace depositd
