#pragma once

// What every place promises where depositors get something back. A test program
// says how one is made.

#include "messages/ports/restoration_target.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace depositd::testing {

/// An empty target, and what is found behind it.
struct restoration_place {
  std::unique_ptr<restoration_target> target;
  /// Nothing if there is no such file.
  std::function<std::optional<std::string>(const std::string& path)> content;
  std::string root; ///< what every place that is told begins with
};

/// In a folder of the test's, or wherever else.
using restoration_maker =
  std::function<restoration_place(const std::filesystem::path& home)>;

class restoration_suite : public ::testing::TestWithParam<restoration_maker> {
protected:
  restoration_suite() : made_(GetParam()(home_.path() / "back")) {
    // nop
  }

  std::filesystem::path a_file(const std::string& bytes) {
    const auto out = home_.path() / std::to_string(++count_);
    std::ofstream{out, std::ios::binary} << bytes;
    return out;
  }

  auto put(const std::string& user, const std::string& name,
           const std::filesystem::path& file) {
    return made_.target->put(user, name, file);
  }

  std::string content(const std::string& path) {
    return made_.content(path).value_or("(nothing)");
  }

  temporary_folder home_{temporary_folder::fast_base()};
  restoration_place made_;
  int count_ = 0;
};

TEST_P(restoration_suite, each_user_finds_their_files_under_the_name) {
  const std::string name = "bag/data/a b+\u00e9.txt";
  const auto place = put("INST", name, a_file("one"));
  ASSERT_TRUE(place) << render(place.error());
  EXPECT_EQ(*place, made_.root + "INST/" + name);
  ASSERT_TRUE(put("OTHER", "bag.tar", a_file("two")));
  EXPECT_EQ(content("INST/" + name), "one");
  EXPECT_EQ(content("OTHER/bag.tar"), "two");
}

TEST_P(restoration_suite, a_repeat_replaces_what_was_there) {
  ASSERT_TRUE(put("INST", "bag.tar", a_file("one")));
  ASSERT_TRUE(put("INST", "bag.tar", a_file("another")));
  EXPECT_EQ(content("INST/bag.tar"), "another");
}

TEST_P(restoration_suite, leaves_its_place_under_no_name) {
  const auto file = a_file("x");
  for (const auto* name :
       {"", "/etc/passwd", "../x", "a/../../x", "a//b", ".", "a/.", "a\nb"})
    EXPECT_EQ(put("INST", name, file).error(), ec::invalid_argument) << name;
  EXPECT_EQ(put("INST", std::string(2'000, 'x'), file).error(),
            ec::invalid_argument);
  EXPECT_EQ(put("../INST", "x", file).error(), ec::invalid_argument);
  EXPECT_FALSE(std::filesystem::exists(home_.path() / "x"));
  EXPECT_EQ(content("x"), "(nothing)");
}

TEST_P(restoration_suite, nothing_is_there_that_was_not_written_whole) {
  EXPECT_FALSE(put("INST", "bag.tar", home_.path() / "none"));
  EXPECT_EQ(content("INST/bag.tar"), "(nothing)");
}

} // namespace depositd::testing
