#include "adapters/stores/files/work_marker.hpp"

#include "adapters/stores/files/file.hpp"
#include "tests/support/mounted_disk.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <unistd.h>

namespace depositd {
namespace {

class work_marker_test : public ::testing::Test {
protected:
  std::string refusal(const std::string& id) {
    return render(prove_work_folder(home.path(), id));
  }

  temporary_folder home;
};

TEST_F(work_marker_test, proves_a_folder_to_whoever_has_its_id) {
  ASSERT_FALSE(write_work_marker(system_disk(), home.path(), "id-1"));
  EXPECT_FALSE(prove_work_folder(home.path(), "id-1"));
  const auto marker = read_work_marker(home.path());
  ASSERT_TRUE(marker && *marker);
  EXPECT_EQ(**marker, "id-1");
}

TEST_F(work_marker_test, is_missed_only_where_it_was) {
  const auto folder = home.path() / "work";
  std::filesystem::create_directory(folder);
  work_folder_watch without{folder};
  EXPECT_FALSE(without.look());
  ASSERT_FALSE(write_work_marker(system_disk(), folder, "id-1"));
  work_folder_watch with{folder};
  std::filesystem::remove(folder / work_marker_name);
  EXPECT_EQ(with.look(), ec::store_failed);
  EXPECT_FALSE(without.look()) << "it has not seen one";
  std::filesystem::remove(folder);
  EXPECT_EQ(without.look(), ec::store_failed);
}

TEST_F(work_marker_test, is_missed_and_told_apart) {
  EXPECT_NE(refusal("id-1").find("there is no"), std::string::npos);
  EXPECT_FALSE(*read_work_marker(home.path()));
  ASSERT_FALSE(write_work_marker(system_disk(), home.path(), "id-1"));
  EXPECT_NE(refusal("id-2").find("says id-1"), std::string::npos);
}

TEST_F(work_marker_test, is_looked_for_whosever_it_is) {
  EXPECT_EQ(look_for_work_marker(home.path()), ec::store_failed);
  ASSERT_FALSE(write_work_marker(system_disk(), home.path(), "id-1"));
  EXPECT_FALSE(look_for_work_marker(home.path()));
}

TEST_F(work_marker_test, is_damaged_if_it_holds_no_id) {
  ASSERT_FALSE(write_work_marker(system_disk(), home.path(), ""));
  EXPECT_EQ(prove_work_folder(home.path(), "id-1"), ec::store_damaged);
}

TEST_F(work_marker_test, does_not_do_where_no_file_can_be_made) {
  if (::geteuid() == 0)
    GTEST_SKIP() << "root may write anywhere";
  ASSERT_FALSE(write_work_marker(system_disk(), home.path(), "id-1"));
  std::filesystem::permissions(home.path(),
                               std::filesystem::perms::owner_read
                                 | std::filesystem::perms::owner_exec);
  EXPECT_TRUE(prove_work_folder(home.path(), "id-1"));
  std::filesystem::permissions(home.path(), std::filesystem::perms::owner_all);
}

TEST_F(work_marker_test, does_on_a_disk_that_is_full_just_now) {
  const mounted_disk disk{home.path()};
  if (!disk
      || ::mount("disk", home.path().c_str(), "tmpfs", MS_REMOUNT,
                 "nr_inodes=9")
           != 0)
    GTEST_SKIP() << "nothing can be mounted here";
  ASSERT_FALSE(write_work_marker(system_disk(), home.path(), "id-1"));
  for (int i = 0; std::ofstream{home.path() / std::to_string(i)}; ++i)
    ;
  EXPECT_FALSE(prove_work_folder(home.path(), "id-1"));
  EXPECT_TRUE(prove_work_folder(home.path(), "id-2"));
}

TEST_F(work_marker_test, leaves_nothing_behind) {
  ASSERT_FALSE(write_work_marker(system_disk(), home.path(), "id-1"));
  ASSERT_FALSE(prove_work_folder(home.path(), "id-1"));
  std::size_t files = 0;
  for (const auto& x : std::filesystem::directory_iterator{home.path()})
    files += x.path().filename() != work_marker_name;
  EXPECT_EQ(files, 0u);
}

TEST_F(work_marker_test, id_is_that_of_the_first_who_asked) {
  const auto path = home.path() / "work.id";
  EXPECT_EQ(*agree_on_work_id(system_disk(), path, "id-1"), "id-1");
  EXPECT_EQ(*agree_on_work_id(system_disk(), path, "id-2"), "id-1");
}

} // namespace
} // namespace depositd
