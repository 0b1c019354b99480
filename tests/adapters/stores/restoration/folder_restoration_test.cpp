// What depositors get back, in a folder.

#include "adapters/stores/restoration/folder_restoration.hpp"

#include "tests/support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

namespace depositd {

namespace {

namespace fs = std::filesystem;

class folder_restoration_test : public ::testing::Test {
protected:
  folder_restoration_test() {
    auto opened = open_folder_restoration({.folder = back()});
    EXPECT_TRUE(opened) << render(opened.error());
    target = std::move(*opened);
  }

  fs::path back() const {
    return home.path() / "back";
  }

  fs::path a_file(const std::string& bytes) {
    const auto out = home.path() / std::to_string(++count);
    std::ofstream{out, std::ios::binary} << bytes;
    return out;
  }

  static std::string content_of(const fs::path& path) {
    std::ifstream in{path, std::ios::binary};
    return {std::istreambuf_iterator<char>{in}, {}};
  }

  temporary_folder home;
  std::unique_ptr<restoration_target> target;
  int count = 0;
};

} // namespace

TEST_F(folder_restoration_test, each_user_finds_their_files_under_the_name) {
  const auto place = target->put("INST", "bag/data/a b.txt", a_file("one"));
  ASSERT_TRUE(place) << render(place.error());
  EXPECT_EQ(*place, (back() / "INST/bag/data/a b.txt").string());
  EXPECT_EQ(content_of(*place), "one");
  ASSERT_TRUE(target->put("OTHER", "bag.tar", a_file("two")));
  EXPECT_EQ(content_of(back() / "OTHER/bag.tar"), "two");
}

TEST_F(folder_restoration_test, a_repeat_replaces_what_was_there) {
  ASSERT_TRUE(target->put("INST", "bag.tar", a_file("one")));
  ASSERT_TRUE(target->put("INST", "bag.tar", a_file("another")));
  EXPECT_EQ(content_of(back() / "INST/bag.tar"), "another");
}

TEST_F(folder_restoration_test, leaves_the_folder_under_no_name) {
  const auto file = a_file("x");
  for (const auto* name :
       {"", "/etc/passwd", "../x", "a/../../x", "a//b", ".", "a/.", "a\nb"})
    EXPECT_EQ(target->put("INST", name, file).error(), ec::invalid_argument)
      << name;
  EXPECT_EQ(target->put("INST", std::string(2'000, 'x'), file).error(),
            ec::invalid_argument);
  EXPECT_EQ(target->put("../INST", "x", file).error(), ec::invalid_argument);
  EXPECT_FALSE(fs::exists(home.path() / "x"));
}

TEST_F(folder_restoration_test, nothing_is_there_that_was_not_written_whole) {
  const auto missing = target->put("INST", "bag.tar", home.path() / "none");
  ASSERT_FALSE(missing);
  EXPECT_FALSE(fs::exists(back() / "INST/bag.tar"));
}

TEST(restored_names, are_paths_that_stay_below) {
  EXPECT_EQ(restored_name_fault("bag/data/ä.txt"), "");
  EXPECT_NE(restored_name_fault("bag/../x"), "");
}

} // namespace depositd
