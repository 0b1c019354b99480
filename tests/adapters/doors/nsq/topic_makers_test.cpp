#include "adapters/doors/nsq/topic_makers.hpp"

#include "messages/values/topic_names.hpp"

#include <gtest/gtest.h>

#include <string>

namespace depositd::nsq {
namespace {

class nsq_topic_makers : public ::testing::Test {
protected:
  bool make(const std::string& user, const std::string& topic,
            const std::string& channel = {}) {
    return makers.may_make(known, user, topic, channel, now);
  }

  void is_there(const std::string& queue) {
    known.queues[queue] = {};
  }

  topic_makers makers{2};
  control_state known;
  topic_makers::time now{};
};

TEST_F(nsq_topic_makers, make_no_more_than_each_may) {
  EXPECT_TRUE(make("ann", "a"));
  EXPECT_TRUE(make("ann", "b"));
  EXPECT_FALSE(make("ann", "c"));
  EXPECT_TRUE(make("ann", "a")) << "it is being made";
  EXPECT_TRUE(make("bob", "c")) << "others may";
}

TEST_F(nsq_topic_makers, use_what_is_there) {
  is_there(topic_queue("a"));
  is_there(channel_queue("a", "x"));
  for (const auto* other : {"b", "c"})
    EXPECT_TRUE(make("ann", other));
  EXPECT_TRUE(make("ann", "a"));
  EXPECT_TRUE(make("ann", "a", "x"));
  EXPECT_FALSE(make("ann", "a", "y"));
}

TEST_F(nsq_topic_makers, are_counted_by_topics_and_channels) {
  EXPECT_TRUE(make("ann", "a", "x"));
  EXPECT_FALSE(make("ann", "a", "y"));
  EXPECT_FALSE(make("ann", "b"));
}

TEST_F(nsq_topic_makers, may_make_others_once_theirs_are_gone) {
  EXPECT_TRUE(make("ann", "a"));
  EXPECT_TRUE(make("ann", "b"));
  now += topic_makers::keep - std::chrono::seconds{1};
  EXPECT_FALSE(make("ann", "c")) << "they may be there in a moment";
  is_there(topic_queue("a"));
  now += std::chrono::seconds{1};
  EXPECT_TRUE(make("ann", "c")) << "the second never came";
  EXPECT_FALSE(make("ann", "d"));
  known.queues.clear();
  now += topic_makers::keep;
  EXPECT_TRUE(make("ann", "d"));
}

TEST_F(nsq_topic_makers, are_not_counted_without_a_limit) {
  topic_makers free;
  for (int i = 0; i < 10'000; ++i)
    ASSERT_TRUE(free.may_make(known, "ann", std::to_string(i), {}, now));
}

} // namespace
} // namespace depositd::nsq
