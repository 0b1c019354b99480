// Row 42 of the table of bad inputs: the conformance suite of the Library of
// Congress, every bag as a folder and as a tar file.

#include "adapters/bagit/checking.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

namespace depositd::bagit {

namespace {

namespace fs = std::filesystem;

/// VERSION/KIND/NAME; nothing if the suite is not there.
std::vector<fs::path> suite() {
  std::vector<fs::path> out;
  const auto* shared = std::getenv("DEPOSITD_SHARED_DATA");
  const auto root = fs::path{shared ? shared : ""} / "bagit-conformance";
  if (shared == nullptr || !fs::is_directory(root))
    return out;
  for (const auto& version : fs::directory_iterator{root})
    if (version.is_directory())
      for (const auto& kind : fs::directory_iterator{version})
        for (const auto& bag : fs::directory_iterator{kind})
          out.push_back(bag.path());
  std::sort(out.begin(), out.end());
  return out;
}

void expect_as_the_suite_says(const fs::path& bag, const bag_source& source) {
  const auto kind = bag.parent_path().filename().string();
  const auto report = check_bag(source, {});
  ASSERT_TRUE(report) << render(report.error());
  const auto lines = report_json(*report);
  EXPECT_EQ(report->valid(), kind == "valid" || kind == "warning") << lines;
  EXPECT_TRUE(kind != "warning" || !report->warnings.empty()) << lines;
}

class conformance : public ::testing::Test {
protected:
  void SetUp() override {
    if (bags.empty())
      GTEST_SKIP() << "NO CONFORMANCE SUITE: SET DEPOSITD_SHARED_DATA";
  }

  const std::vector<fs::path> bags = suite();
};

TEST_F(conformance, row_42_all_60_bags_are_there) {
  EXPECT_EQ(bags.size(), 60u);
}

TEST_F(conformance, row_42_bags_in_folders_are_judged_as_the_suite_says) {
  for (const auto& bag : bags) {
    SCOPED_TRACE(bag.string());
    expect_as_the_suite_says(bag, {bag, ""});
  }
}

TEST_F(conformance, row_42_bags_in_tar_files_are_judged_as_the_suite_says) {
  const temporary_folder home;
  for (const auto& bag : bags) {
    SCOPED_TRACE(bag.string());
    const auto file = home.path() / "bag.tar";
    // The order is the disk's: manifests may come before bagit.txt.
    const auto command = "tar -C '" + bag.parent_path().string() + "' -cf '"
                         + file.string() + "' '" + bag.filename().string()
                         + "'";
    ASSERT_EQ(std::system(command.c_str()), 0) << command;
    expect_as_the_suite_says(bag, {file, bag.filename().string() + ".tar"});
  }
}

} // namespace

} // namespace depositd::bagit
