#include "config/data_folder.hpp"

#include "tests/support/temporary_folder.hpp"

#include <gtest/gtest.h>

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
