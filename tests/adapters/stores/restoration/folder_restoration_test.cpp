// What depositors get back, in a folder.

#include "adapters/stores/restoration/folder_restoration.hpp"
#include "tests/contract/restoration_suite.hpp"
#include "tests/support/mounted_disk.hpp"

#include <iterator>

namespace depositd {

namespace {

testing::restoration_place make_folder(const std::filesystem::path& home) {
  auto opened = open_folder_restoration({.folder = home});
  EXPECT_TRUE(opened) << render(opened.error());
  const auto content =
    [=](const std::string& path) -> std::optional<std::string> {
    std::ifstream in{home / path, std::ios::binary};
    if (!in)
      return std::nullopt;
    return std::string{std::istreambuf_iterator<char>{in}, {}};
  };
  return {std::move(*opened), content, home.string() + "/"};
}

} // namespace

namespace testing {

INSTANTIATE_TEST_SUITE_P(folder, restoration_suite,
                         ::testing::Values(&make_folder));

} // namespace testing

TEST(folder_restoration, leaves_nothing_of_what_cannot_get_its_name) {
  const temporary_folder home;
  auto target = open_folder_restoration({.folder = home.path() / "restored"});
  ASSERT_TRUE(target) << render(target.error());
  const auto file = home.path() / "file";
  std::ofstream{file} << "bytes";
  // A folder has the name.
  ASSERT_TRUE((*target)->put("ada", "bag/data/x", file));
  EXPECT_EQ((*target)->put("ada", "bag", file).error(), ec::store_failed);
  EXPECT_TRUE(std::filesystem::is_empty(home.path() / "restored" / ".begun"));
}

TEST(folder_restoration, puts_nothing_where_its_disk_is_not_mounted) {
  const temporary_folder home;
  const auto root = home.path() / "disk";
  const folder_restoration_options options{.folder = root / "restored",
                                           .note = home.path() / "note"};
  const auto file = home.path() / "file";
  std::ofstream{file} << "bytes";
  std::filesystem::create_directory(root);
  {
    const mounted_disk disk{root};
    if (!disk)
      GTEST_SKIP() << "nothing can be mounted here";
    auto target = open_folder_restoration(options);
    ASSERT_TRUE(target) << render(target.error());
    ASSERT_TRUE((*target)->put("ada", "one", file));
    const auto hidden = root / "restored" / ".begun";
    disk.unmount();
    std::filesystem::create_directories(hidden);
    EXPECT_EQ((*target)->put("ada", "two", file).error(), ec::store_failed);
    std::filesystem::remove_all(root / "restored");
  }
  EXPECT_EQ(open_folder_restoration(options).error(), ec::store_failed);
  EXPECT_TRUE(std::filesystem::is_empty(root));
  std::filesystem::remove(options.note);
  EXPECT_TRUE(open_folder_restoration(options)) << "it is to be so";
}

TEST(restored_names, are_paths_that_stay_below) {
  EXPECT_EQ(restored_name_fault("bag/data/ä.txt"), "");
  EXPECT_NE(restored_name_fault("bag/../x"), "");
  std::string longest = "bag";
  while (longest.size() < 2'000)
    longest += "/" + std::string(200, 'x');
  EXPECT_EQ(restored_name_fault(longest), "");
  EXPECT_NE(restored_name_fault(longest + longest), "");
}

} // namespace depositd
