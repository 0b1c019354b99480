// One answer to several parts.

#include "adapters/doors/kit/joint_answer.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace depositd::testing {

namespace {

using strings = std::vector<std::string>;

strings told(const std::vector<std::pair<std::string, bool>>& parts,
             std::size_t expected) {
  strings out;
  const auto joint = kit::make_joint_answer<std::string>(
    expected, [&](const std::string& all) { out.push_back(all); });
  for (const auto& [part, is_bad] : parts)
    joint->take(part, is_bad);
  return out;
}

TEST(kit_joint_answer, waits_for_all_parts) {
  EXPECT_EQ(told({{"a", false}}, 2), strings{});
  EXPECT_EQ(told({{"a", false}, {"b", false}}, 2), strings{"b"});
}

TEST(kit_joint_answer, is_the_first_bad_one) {
  EXPECT_EQ(told({{"a", false}, {"b", true}, {"c", true}, {"d", false}}, 4),
            strings{"b"});
}

} // namespace

} // namespace depositd::testing
