#include "adapters/stores/files/file.hpp"
#include "adapters/stores/files/sha256.hpp"
#include "tests/support/faulty_disk.hpp"
#include "tests/support/temporary_folder.hpp"

#include <fcntl.h>

#include <gtest/gtest.h>

namespace depositd {

namespace {

namespace fs = std::filesystem;

class files : public ::testing::Test {
protected:
  temporary_folder home;
  faulty_disk io;
};

} // namespace

TEST_F(files, are_replaced_as_a_whole_or_not_at_all) {
  const auto path = home.path() / "file";
  ASSERT_FALSE(replace_file(io, path, "before"));
  for (const auto which : {disk_call::write, disk_call::sync}) {
    io.set_fault([=](disk_call call) { return call == which ? EIO : 0; });
    EXPECT_EQ(replace_file(io, path, "after"), ec::store_failed);
    EXPECT_EQ(*read_file(path), "before");
  }
  io.set_fault({});
  ASSERT_FALSE(replace_file(io, path, "after"));
  EXPECT_EQ(*read_file(path), "after");
}

TEST_F(files, that_are_not_there_are_not_found) {
  EXPECT_EQ(read_file(home.path() / "none").error(), ec::not_found);
}

TEST_F(files, are_named_by_the_error) {
  const auto path = home.path() / "none";
  const auto file = open_file(path, O_RDONLY);
  ASSERT_FALSE(file);
  EXPECT_EQ(render(file.error()),
            "cannot open " + path.string() + ": No such file or directory");
}

TEST_F(files, are_copied_up_to_a_byte_and_made_longer) {
  ASSERT_FALSE(replace_file(io, home.path() / "from", "abcdef"));
  const auto from = open_file(home.path() / "from", O_RDONLY);
  ASSERT_TRUE(from);
  const auto to = home.path() / "to";
  ASSERT_FALSE(copy_file_bytes(io, *from, home.path() / "from", to,
                               {.bytes = 3, .size = 5}));
  EXPECT_EQ(*read_file(to), std::string("abc\0\0", 5));
  EXPECT_EQ(copy_file_bytes(io, *from, home.path() / "from", to,
                            {.bytes = 3, .size = 5}),
            ec::store_failed)
    << "never over another file";
}

TEST_F(files, are_written_in_parts_from_anywhere) {
  const auto path = home.path() / "parts";
  const auto file = open_file(path, O_RDWR | O_CREAT);
  ASSERT_TRUE(file);
  std::string first = "ab";
  std::string second = "cd";
  std::vector<iovec> parts{
    {first.data(), 0}, {first.data(), 2}, {nullptr, 0}, {second.data(), 2}};
  ASSERT_EQ(io.write(file->value(), parts, 1), 0);
  EXPECT_EQ(*read_file(path), std::string("\0abcd", 5));
}

TEST_F(files, of_ours_are_for_nobody_else) {
  const auto path = home.path() / "a" / "b" / "file";
  ASSERT_FALSE(make_folders(io, path.parent_path()));
  ASSERT_FALSE(replace_file(io, path, "secret"));
  EXPECT_EQ(fs::status(path).permissions(),
            fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_EQ(fs::status(home.path() / "a").permissions(), fs::perms::owner_all);
}

TEST_F(files, are_in_no_folder_whose_name_is_too_long) {
  const auto failed = make_folders(io, home.path() / std::string(5'000, 'x'));
  EXPECT_EQ(failed, ec::store_failed);
}

TEST(sha256, of_nothing_and_of_abc) {
  EXPECT_EQ(sha256_hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca"
                            "495991b7852b855");
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a"
                               "9cb410ff61f20015ad");
}

TEST(sha256, has_64_lower_case_digits) {
  EXPECT_TRUE(is_sha256_hex(sha256_hex("abc")));
  EXPECT_FALSE(is_sha256_hex(std::string(63, 'a')));
  EXPECT_FALSE(is_sha256_hex(std::string(64, 'A')));
  EXPECT_FALSE(is_sha256_hex(std::string(63, 'a') + "/"));
}

} // namespace depositd
