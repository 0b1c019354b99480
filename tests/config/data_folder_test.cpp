#include "config/data_folder.hpp"

#include "tests/support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include <unistd.h>

namespace depositd {
namespace {

using std::filesystem::perms;

class data_folder_test : public ::testing::Test {
protected:
  void make(perms more) {
    std::filesystem::create_directory(data);
    std::filesystem::permissions(data, perms::owner_all | more);
  }

  perms mode() const {
    return std::filesystem::status(data).permissions();
  }

  temporary_folder folder;
  const std::filesystem::path data = folder.path() / "data";
};

TEST_F(data_folder_test, that_others_may_look_into_is_remarked_on) {
  EXPECT_EQ(data_folder_remark(data), "") << "it will be made for us alone";
  make(perms::none);
  EXPECT_EQ(data_folder_remark(data), "");
  for (const auto more : {perms::group_read, perms::others_exec}) {
    make(more);
    EXPECT_EQ(data_folder_remark(data).find("data.folder: others may look "
                                            "into "
                                            + data.string()),
              0u);
  }
}

TEST_F(data_folder_test, that_others_may_write_to_is_closed_and_that_is_said) {
  auto closed = close_data_folder(data);
  ASSERT_TRUE(closed);
  EXPECT_EQ(*closed, "") << "there is none yet";
  make(perms::group_read | perms::others_exec);
  closed = close_data_folder(data);
  ASSERT_TRUE(closed);
  EXPECT_EQ(*closed, "");
  EXPECT_EQ(mode(), perms::owner_all | perms::group_read | perms::others_exec)
    << "that may be meant";
  for (const auto more : {perms::group_write, perms::others_write}) {
    make(more | perms::group_read);
    closed = close_data_folder(data);
    ASSERT_TRUE(closed) << render(closed.error());
    EXPECT_EQ(*closed, "data.folder: others could write to " + data.string()
                         + "; they cannot any more");
    EXPECT_EQ(mode(), perms::owner_all | perms::group_read);
  }
}

TEST_F(data_folder_test, within_another_is_refused) {
  namespace fs = std::filesystem;
  const auto touch = [&](const fs::path& file) {
    fs::create_directories(file.parent_path());
    std::ofstream{file};
  };
  EXPECT_FALSE(check_folder_of_its_own(data / "journal"));
  touch(data / "journal" / "journal.meta");
  EXPECT_FALSE(check_folder_of_its_own(data));
  EXPECT_FALSE(check_folder_of_its_own(data.string() + "/"));
  EXPECT_FALSE(check_folder_of_its_own(data / "journal" / ".."));
  EXPECT_FALSE(check_folder_of_its_own(folder.path() / "data-2"));
  for (const auto* part : {"journal", "objects/", "sub/of/sub"})
    EXPECT_EQ(render(check_folder_of_its_own(data / part)),
              "data.folder: " + (data / part).string() + " is within "
                + fs::canonical(data).string()
                + ", which is the data folder of an engine");
  const auto link = folder.path() / "link";
  fs::create_directory_symlink(data / "journal", link);
  EXPECT_TRUE(check_folder_of_its_own(link));
  const auto shards = folder.path() / "shards-data";
  touch(shards / "shards" / "count");
  EXPECT_FALSE(check_folder_of_its_own(shards));
  EXPECT_TRUE(check_folder_of_its_own(shards / "shards" / "0"))
    << "its journal is no engine's";
}

TEST_F(data_folder_test, of_everybody_is_refused) {
  make(perms::all | perms::sticky_bit); // like /tmp
  const auto closed = close_data_folder(data);
  ASSERT_FALSE(closed);
  EXPECT_EQ(closed.error(), ec::bad_setting);
  EXPECT_EQ(render(closed.error()).find("data.folder: others may write to"),
            0u);
  EXPECT_EQ(mode(), perms::all | perms::sticky_bit);
}

TEST_F(data_folder_test, of_somebody_else_is_refused_where_others_may_write) {
  if (::geteuid() != 0)
    GTEST_SKIP() << "only root gives folders to others";
  make(perms::group_write);
  ASSERT_EQ(::chown(data.c_str(), 65'534, 65'534), 0);
  const auto closed = close_data_folder(data);
  ASSERT_FALSE(closed);
  EXPECT_NE(render(closed.error()).find("somebody else's"), std::string::npos);
}

} // namespace
} // namespace depositd
