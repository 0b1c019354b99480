// Signals come at any time, and a file on a network is read and written in
// pieces: neither is a failure, and nothing is missing or there twice.

#include "adapters/stores/files/disk.hpp"
#include "adapters/stores/files/file.hpp"
#include "tests/support/interrupted_calls.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>

namespace depositd {

namespace {

class interruptions : public ::testing::Test {
protected:
  std::string all_of(const std::filesystem::path& path) {
    const auto text = read_file(path);
    EXPECT_TRUE(text) << render(text.error());
    return text ? *text : std::string{};
  }

  temporary_folder home;
  const std::filesystem::path path = home.path() / "file";
  const std::string text = "seven and more bytes";
};

} // namespace

TEST_F(interruptions, change_nothing_that_is_written_or_read) {
  const testing::interrupted_calls some;
  ASSERT_FALSE(replace_file(system_disk(), path, text));
  EXPECT_EQ(all_of(path), text);
  EXPECT_GT(some.count(), 20);
}

TEST_F(interruptions, change_nothing_about_where_a_file_ends) {
  ASSERT_FALSE(replace_file(system_disk(), path, text));
  const auto file = open_file(path, O_RDONLY);
  ASSERT_TRUE(file);
  std::array<char, 32> into{};
  const testing::interrupted_calls some;
  const auto count = read_file_at(*file, path, into, 6);
  ASSERT_TRUE(count) << render(count.error());
  EXPECT_EQ(std::string(into.data(), *count), text.substr(6));
}

TEST_F(interruptions, change_nothing_of_parts_at_a_place) {
  ASSERT_FALSE(replace_file(system_disk(), path, text));
  const auto file = open_file(path, O_RDWR);
  ASSERT_TRUE(file);
  std::string one = "AND", empty, other = " not";
  std::array<iovec, 3> parts{iovec{one.data(), one.size()},
                             iovec{empty.data(), 0},
                             iovec{other.data(), other.size()}};
  const testing::interrupted_calls some;
  EXPECT_EQ(system_disk().write(file->value(), parts, 6), 0);
  EXPECT_EQ(all_of(path), "seven AND note bytes");
}

TEST_F(interruptions, change_nothing_that_is_copied) {
  ASSERT_FALSE(replace_file(system_disk(), path, text));
  const auto file = open_file(path, O_RDONLY);
  ASSERT_TRUE(file);
  const auto copy = home.path() / "copy";
  const testing::interrupted_calls some;
  ASSERT_FALSE(copy_file_bytes(system_disk(), *file, path, copy,
                               {.bytes = 9, .size = 9}));
  EXPECT_EQ(all_of(copy), "seven and");
}

TEST_F(interruptions, are_no_failed_flushes) {
  const auto file = open_file(path, O_RDWR | O_CREAT);
  const auto folder = open_file(home.path(), O_RDONLY | O_DIRECTORY);
  ASSERT_TRUE(file);
  ASSERT_TRUE(folder);
  const testing::interrupted_calls some;
  EXPECT_EQ(system_disk().allocate(file->value(), 4), 0);
  EXPECT_EQ(system_disk().sync(file->value()), 0);
  EXPECT_EQ(system_disk().sync_names(folder->value()), 0);
  EXPECT_EQ(system_disk().sync_all(folder->value()), 0);
  EXPECT_EQ(some.count(), 4);
  EXPECT_EQ(all_of(path), std::string(4, '\0'));
  EXPECT_EQ(system_disk().sync(-1), EBADF) << "that is one";
  EXPECT_EQ(system_disk().sync_names(-1), EBADF);
  EXPECT_EQ(system_disk().sync_all(-1), EBADF);
}

} // namespace depositd
