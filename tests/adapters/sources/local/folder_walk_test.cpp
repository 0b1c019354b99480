#include "adapters/sources/local/folder_walk.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <set>

#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>

namespace {

/// What its disk does not show.
std::string unseen_place;

} // namespace

// Instead of the library's.
extern "C" int lstat(const char* path, struct stat* to) noexcept {
  if (!unseen_place.empty() && unseen_place == path) {
    errno = EIO;
    return -1;
  }
  return ::fstatat(AT_FDCWD, path, to, AT_SYMLINK_NOFOLLOW);
}

namespace depositd::sources {

namespace {

caf::error always() {
  return {};
}

/// All files behind a path.
std::vector<std::string> walked(const std::string& root,
                                const std::string& behind,
                                std::size_t names_max) {
  folder_walk walk{root, behind, names_max};
  std::vector<std::string> out;
  for (;;) {
    const auto met = walk.step(always);
    EXPECT_TRUE(met) << render(met.error());
    if (!met || met->is == met_entry::kind::end)
      return out;
    if (met->is == met_entry::kind::file)
      out.push_back(met->path);
  }
}

void touch(const std::filesystem::path& file) {
  std::filesystem::create_directories(file.parent_path());
  std::ofstream{file} << "x";
}

} // namespace

TEST(a_folder_walk, asks_whether_to_go_on) {
  const temporary_folder folder;
  touch(folder.path() / "a");
  folder_walk walk{folder.path().string(), ""};
  int steps = 0;
  const auto check = [&]() -> caf::error {
    return ++steps < 3 ? caf::error{} : caf::make_error(ec::draining);
  };
  EXPECT_TRUE(walk.step(check));
  EXPECT_TRUE(walk.step(check));
  const auto third = walk.step(check);
  ASSERT_FALSE(third);
  EXPECT_EQ(third.error(), ec::draining);
}

TEST(a_folder_walk, does_not_pass_over_what_a_disk_does_not_show) {
  const temporary_folder folder;
  touch(folder.path() / "a");
  touch(folder.path() / "b");
  folder_walk walk{folder.path().string(), ""};
  unseen_place = (folder.path() / "a").string();
  auto met = walk.step(always);
  while (met && met->is == met_entry::kind::nothing)
    met = walk.step(always);
  unseen_place.clear();
  ASSERT_FALSE(met) << met->path;
  EXPECT_EQ(met.error(), ec::store_failed);
}

TEST(a_folder_walk, looks_at_nothing_below_a_path_that_is_too_long) {
  const temporary_folder folder;
  // As deep as the system lets it be made by its whole path, and then deeper.
  const std::string part(200, 'p');
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(folder.path());
  for (int i = 0; i < 24; ++i) {
    std::filesystem::create_directory(part);
    std::filesystem::current_path(part);
  }
  std::filesystem::current_path(before);
  touch(folder.path() / "z");
  folder_walk walk{folder.path().string(), ""};
  std::vector<std::string> files;
  int too_long = 0;
  for (int i = 0; i < 100; ++i) {
    const auto met = walk.step(always);
    ASSERT_TRUE(met) << render(met.error());
    if (met->is == met_entry::kind::end)
      break;
    too_long += met->is == met_entry::kind::too_long;
    if (met->is == met_entry::kind::file)
      files.push_back(met->path);
  }
  EXPECT_EQ(too_long, 1);
  EXPECT_EQ(files, std::vector<std::string>{"z"});
}

// Against all paths, sorted: from any place on, with any number of names in
// memory.
RC_GTEST_PROP(folder_walk_property, meets_files_in_the_order_of_their_bytes,
              ()) {
  std::mt19937 random{*rc::gen::arbitrary<std::uint32_t>()};
  const temporary_folder folder{temporary_folder::fast_base()};
  const std::vector<std::string> names{"a",    "a-",  "a.b", "a0",      "b",
                                       "\xfe", "b b", "%",   "\xc3\xa4"};
  const auto any = [&] { return names[random() % names.size()]; };
  std::set<std::string> all;
  for (int i = 0; i < 25; ++i) {
    std::string path;
    for (auto depth = random() % 3; depth > 0; --depth)
      path += any() + "d/"; // no file has the name of a folder
    path += any();
    all.insert(path);
    touch(folder.path() / path);
  }
  const auto names_max = 1 + random() % 5;
  const auto root = folder.path().string();
  RC_ASSERT(walked(root, "", names_max)
            == std::vector<std::string>(all.begin(), all.end()));
  for (int i = 0; i < 5; ++i) {
    auto from = all.begin();
    std::advance(from, random() % all.size());
    // A file, or what was one when the cursor was made.
    const auto behind = *from + (random() % 3 == 0 ? "x" : "");
    RC_ASSERT(walked(root, behind, names_max)
              == std::vector<std::string>(all.upper_bound(behind), all.end()));
  }
}

} // namespace depositd::sources
