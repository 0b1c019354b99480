#include "adapters/stores/files/mounts.hpp"
#include "tests/support/mounted_disk.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gtest/gtest.h>

namespace depositd {
namespace {

namespace fs = std::filesystem;

class mounts : public ::testing::Test {
protected:
  caf::expected<std::size_t> noted(const fs::path& folder) {
    return note_mounts(system_disk(), folder, note);
  }

  const temporary_folder home;
  const fs::path folder = home.path() / "disk";
  const fs::path note = home.path() / "mounts" / "one";
};

TEST_F(mounts, are_not_needed_where_there_were_none) {
  fs::create_directory(folder);
  const auto count = noted(folder);
  ASSERT_TRUE(count) << render(count.error());
  EXPECT_FALSE(look_for_mounts(folder, *count));
  EXPECT_EQ(look_for_mounts(home.path() / "away", *count), ec::store_failed);
  EXPECT_TRUE(noted(folder / "not" / "yet"));
}

TEST_F(mounts, are_missed_while_the_engine_runs_and_when_it_starts) {
  const auto inner = folder / "inner";
  fs::create_directories(inner);
  const mounted_disk disk{folder};
  if (!disk)
    GTEST_SKIP() << "nothing can be mounted here";
  fs::create_directory(inner);
  const auto count = noted(inner);
  ASSERT_TRUE(count) << render(count.error());
  EXPECT_EQ(*count, *count_mounts(home.path()) + 1);
  disk.unmount();
  EXPECT_EQ(look_for_mounts(inner, *count), ec::store_failed);
  EXPECT_EQ(noted(inner).error(), ec::store_failed);
  const mounted_disk again{folder};
  fs::create_directory(inner);
  EXPECT_FALSE(look_for_mounts(inner, *count));
  EXPECT_TRUE(noted(inner));
}

TEST_F(mounts, of_another_folder_say_nothing) {
  fs::create_directories(folder);
  {
    const mounted_disk disk{folder};
    if (!disk)
      GTEST_SKIP() << "nothing can be mounted here";
    ASSERT_TRUE(noted(folder));
  }
  EXPECT_TRUE(noted(home.path()));
}

} // namespace
} // namespace depositd
