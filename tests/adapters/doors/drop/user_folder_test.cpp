// One user's folder on a disk that is in the way, or beside somebody else who
// moves files in it.

#include "adapters/doors/drop/user_folder.hpp"

#include "tests/support/temporary_folder.hpp"

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>

#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace {

/// What happens the moment before files are moved.
std::function<void()> before_moving;

/// Whether there is a file system that cannot refuse to replace.
bool always_replaces = false;

} // namespace

// Instead of the library's.
extern "C" int renameat2(int from, const char* name, int to,
                         const char* new_name, unsigned flags) noexcept {
  if (before_moving)
    before_moving();
  if (always_replaces && flags != 0) {
    errno = EINVAL;
    return -1;
  }
  return static_cast<int>(
    ::syscall(SYS_renameat2, from, name, to, new_name, flags));
}

namespace depositd::drop {

namespace {

namespace fs = std::filesystem;

class user_folder_test : public ::testing::Test {
protected:
  user_folder_test() {
    fs::create_directory(path_);
  }

  ~user_folder_test() override {
    before_moving = nullptr;
    always_replaces = false;
  }

  user_folder opened() const {
    const auto root = open_file(root_.path(), O_RDONLY | O_DIRECTORY);
    return std::move(*user_folder::open(*root, "alice"));
  }

  void write(const std::string& name, const std::string& text) const {
    std::ofstream{path_ / name, std::ios::binary} << text;
  }

  std::string text_of(const std::string& name) const {
    std::ifstream in{path_ / name, std::ios::binary};
    return {std::istreambuf_iterator<char>{in}, {}};
  }

  listed_file only_file(const user_folder& folder) const {
    return folder.list(10)->at(0);
  }

  temporary_folder root_;
  fs::path path_ = root_.path() / "alice";
};

} // namespace

TEST_F(user_folder_test, moves_where_the_system_cannot_refuse_to_replace) {
  always_replaces = true;
  const auto folder = opened();
  for (const auto* text : {"first", "second"}) {
    write("a.xml", text);
    EXPECT_EQ(folder.finish(only_file(folder), 7, true), true) << text;
  }
  EXPECT_EQ(text_of(".done/7-a.xml"), "first");
  EXPECT_EQ(text_of(".done/7-a.xml.2"), "second");
}

TEST_F(user_folder_test, gives_back_what_came_in_the_moment_of_moving) {
  const auto folder = opened();
  write("a.xml", "first");
  const auto first = only_file(folder);
  before_moving = [&] {
    before_moving = nullptr;
    write("b.part", "second");
    fs::rename(path_ / "b.part", path_ / "a.xml");
  };
  EXPECT_EQ(folder.finish(first, 7, true), false);
  EXPECT_EQ(text_of("a.xml"), "second");
  EXPECT_TRUE(fs::is_empty(path_ / ".done"));
}

TEST_F(user_folder_test, has_nothing_to_give_back_of_what_went_again) {
  const auto folder = opened();
  write("a.xml", "first");
  const auto first = only_file(folder);
  before_moving = [&] {
    write("b.part", "second");
    fs::rename(path_ / "b.part", path_ / "a.xml");
    before_moving = [&] {
      before_moving = nullptr;
      fs::remove(path_ / ".done/7-a.xml");
    };
  };
  const auto moved = folder.finish(first, 7, true);
  ASSERT_TRUE(moved) << render(moved.error());
  EXPECT_FALSE(*moved);
}

TEST_F(user_folder_test, refuses_namesakes_whose_names_are_as_long_as_may_be) {
  const std::string name(255, 'x');
  const auto folder = opened();
  for (const auto* text : {"first", "second"}) {
    write(name, text);
    const auto moved = folder.refuse(only_file(folder), "no");
    ASSERT_TRUE(moved) << render(moved.error());
    EXPECT_TRUE(*moved) << text;
  }
  EXPECT_EQ(text_of(".refused/" + name.substr(0, 239) + ".2"), "second");
}

} // namespace depositd::drop
