#include "adapters/sources/kafka/positions.hpp"

#include <gtest/gtest.h>

namespace depositd::sources {

TEST(a_topic_position, is_read_as_it_is_written) {
  const topic_position x{
    {0, {17}}, {2, {3, 33'554'439}}, {10, {9'223'372'036'854'775'807}}};
  EXPECT_EQ(to_text(x),
            R"({"0":17,"2":[3,33554439],"10":9223372036854775807})");
  EXPECT_EQ(*read_topic_position(to_text(x)), x);
  EXPECT_EQ(*read_topic_position(" {\"0\": 17} "),
            (topic_position{{0, {17}}}));
}

TEST(a_topic_position, is_an_empty_text_at_the_beginning) {
  EXPECT_EQ(to_text({}), "");
  EXPECT_TRUE(read_topic_position("")->empty());
  EXPECT_TRUE(read_topic_position("{}")->empty());
}

TEST(a_topic_position, of_another_kind_is_malformed) {
  for (const auto* text :
       {"17", "[]", "{", "garbage", R"({"0":-1})", R"({"0":"1"})",
        R"({"0":1.5})", R"({"-1":1})", R"({"x":1})", R"({"1x":1})", R"({"":1})",
        R"({"0":9223372036854775808})", R"({"99999999999":1})",
        R"({"0":[]})", R"({"0":[1]})", R"({"0":[1,2,3]})", R"({"0":[1,-1]})",
        R"({"0":[1,"2"]})"}) {
    const auto out = read_topic_position(text);
    ASSERT_FALSE(out) << text;
    EXPECT_EQ(out.error(), ec::malformed);
  }
}

} // namespace depositd::sources
