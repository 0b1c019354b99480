#include "adapters/stores/files/disk_floor.hpp"

#include "tests/support/mounted_disk.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <fstream>

namespace depositd {
namespace {

namespace fs = std::filesystem;

class room_on_a_disk : public ::testing::Test {
protected:
  void SetUp() override {
    if (!disk)
      GTEST_SKIP() << "nothing can be mounted here";
    ASSERT_TRUE(set("size=8m,nr_inodes=20"));
  }

  bool set(const char* options, unsigned long flags = 0) {
    return ::mount("disk", home.path().c_str(), "tmpfs", MS_REMOUNT | flags,
                   options)
           == 0;
  }

  caf::error look(std::uint64_t mb) {
    return look_for_room(home.path(), mb << 20);
  }

  const temporary_folder home;
  const mounted_disk disk{home.path()};
};

TEST_F(room_on_a_disk, is_what_is_left_of_it) {
  EXPECT_FALSE(look(4));
  std::ofstream{home.path() / "a"} << std::string(5 << 20, 'x');
  EXPECT_EQ(look(4), ec::store_failed);
  EXPECT_FALSE(look(0)) << "others need less";
  EXPECT_FALSE(look(8)) << "it never could have";
  EXPECT_FALSE(look_for_room(home.path() / "away", 0)) << "nobody can tell";
}

TEST_F(room_on_a_disk, is_none_where_no_file_can_be_made) {
  for (int i = 0; std::ofstream{home.path() / std::to_string(i)}; ++i)
    ;
  EXPECT_EQ(look(0), ec::store_failed);
}

TEST_F(room_on_a_disk, is_none_where_nothing_can_be_written) {
  ASSERT_TRUE(set("", MS_RDONLY));
  EXPECT_EQ(look(0), ec::store_failed);
}

} // namespace
} // namespace depositd
