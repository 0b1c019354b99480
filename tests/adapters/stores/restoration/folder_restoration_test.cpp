// What depositors get back, in a folder.

#include "adapters/stores/restoration/folder_restoration.hpp"
#include "tests/contract/restoration_suite.hpp"

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
