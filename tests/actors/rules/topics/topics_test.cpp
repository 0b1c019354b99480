#include "actors/rules/topics/topics.hpp"

#include "actors/rules/control/control.hpp"
#include "actors/rules/ledger/copies.hpp"
#include "messages/values/sharding.hpp"

#include <gtest/gtest.h>

namespace depositd {

namespace {

using names = std::vector<std::string>;

class topic_rules : public ::testing::Test {
protected:
  void apply(const caf::expected<std::vector<event>>& changes) {
    ASSERT_TRUE(changes) << render(changes.error());
    for (const auto& x : *changes)
      rules::apply(state, x);
  }

  void make(const std::string& topic, const std::string& channel = "") {
    apply(rules::make_topic(state, topic, channel, limits));
  }

  void end(const std::string& topic, const std::string& channel = "") {
    apply(rules::begin_end(state, topic, channel));
  }

  void complete(const std::string& topic) {
    apply(rules::complete_end(state.topics.at(topic), {}));
  }

  const topic_changed& topic() {
    return state.topics.at("t");
  }

  control_state state;
  rules::topic_limits limits;
};

TEST_F(topic_rules, a_topic_comes_with_its_queue_and_once) {
  make("t");
  EXPECT_TRUE(state.queues.contains("nsq/t"));
  make("t", "c");
  EXPECT_TRUE(state.queues.contains("nsq/t/c"));
  EXPECT_EQ(topic().channels, names{"c"});
  const auto again = rules::make_topic(state, "t", "c", limits);
  ASSERT_TRUE(again);
  EXPECT_TRUE(again->empty());
}

TEST_F(topic_rules, the_first_channel_of_an_older_topic_gets_its_backlog) {
  make("new", "c");
  EXPECT_TRUE(state.topics.at("new").backlog_to.empty()) << "nothing waits";
  make("t");
  make("t", "a");
  make("t", "b");
  EXPECT_EQ(topic().backlog_to, names{"a"});
  apply(rules::complete_backlog(topic()));
  EXPECT_TRUE(topic().backlog_to.empty());
}

TEST_F(topic_rules, after_a_pause_all_channels_get_it) {
  make("t");
  make("t", "a");
  apply(rules::pause_topic(state, "t", "", true));
  EXPECT_TRUE(topic().backlog_to.empty()) << "what is left waits";
  make("t", "b");
  EXPECT_EQ(rules::queues_of_message(topic()), names{"nsq/t"});
  apply(rules::pause_topic(state, "t", "", false));
  EXPECT_EQ(topic().backlog_to, (names{"a", "b"}));
  EXPECT_EQ(rules::queues_of_message(topic()), (names{"nsq/t/a", "nsq/t/b"}));
}

TEST_F(topic_rules, what_was_for_a_channel_that_ends_goes_to_the_others) {
  make("t");
  make("t", "a");
  make("t", "b");
  end("t", "a");
  EXPECT_EQ(topic().backlog_to, names{"b"});
  EXPECT_TRUE(state.queues.at("nsq/t/a").suspended);
  EXPECT_TRUE(rules::is_ending(topic(), "a"));
  EXPECT_FALSE(rules::is_ending(topic(), "b"));
  end("t", "b");
  EXPECT_TRUE(topic().backlog_to.empty()) << "it waits in the topic";
  EXPECT_EQ(rules::queues_of_message(topic()), names{"nsq/t"});
}

TEST_F(topic_rules, a_channel_is_gone_when_its_queue_is) {
  make("t", "a");
  end("t", "a");
  EXPECT_EQ(rules::next_ending(topic()), "nsq/t/a");
  complete("t");
  EXPECT_FALSE(state.queues.contains("nsq/t/a"));
  EXPECT_EQ(rules::next_ending(topic()), "");
  EXPECT_FALSE(rules::is_ending(topic(), "a"));
}

TEST_F(topic_rules, what_is_not_there_cannot_end) {
  make("t", "c");
  for (const auto& [topic, channel] :
       {std::pair{"other", ""}, {"other", "c"}, {"t", "other"}}) {
    const auto refused = rules::begin_end(state, topic, channel);
    ASSERT_FALSE(refused) << topic << ' ' << channel;
    EXPECT_EQ(refused.error(), ec::not_found) << topic << ' ' << channel;
  }
  EXPECT_EQ(topic().channels, names{"c"});
  EXPECT_FALSE(topic().leaving);
}

TEST_F(topic_rules, a_topic_ends_after_its_channels) {
  make("t", "a");
  make("t", "b");
  end("t", "a");
  end("t");
  names order;
  for (int i = 0; i < 3; ++i) {
    order.push_back(rules::next_ending(topic()));
    complete("t");
  }
  EXPECT_EQ(order, (names{"nsq/t/a", "nsq/t/b", "nsq/t"}));
  EXPECT_TRUE(state.topics.empty());
  EXPECT_TRUE(state.queues.empty());
}

TEST_F(topic_rules, an_ephemeral_topic_ends_with_its_last_channel) {
  make("e#ephemeral", "a");
  make("e#ephemeral", "b");
  end("e#ephemeral", "a");
  EXPECT_FALSE(state.topics.at("e#ephemeral").leaving);
  end("e#ephemeral", "b");
  EXPECT_TRUE(state.topics.at("e#ephemeral").leaving);
}

TEST_F(topic_rules, a_start_ends_what_is_ephemeral) {
  make("e#ephemeral", "a");
  make("t", "a");
  make("t", "b#ephemeral");
  make("t", "c#ephemeral");
  apply(rules::end_ephemeral(state));
  EXPECT_TRUE(state.topics.at("e#ephemeral").leaving);
  EXPECT_EQ(topic().channels, names{"a"});
  EXPECT_EQ(topic().ending, (names{"b#ephemeral", "c#ephemeral"}));
  EXPECT_TRUE(rules::end_ephemeral(state).empty());
}

TEST_F(topic_rules, there_are_no_more_than_may_be) {
  limits = {2, 3};
  make("t", "a");
  make("u", "a");
  EXPECT_EQ(rules::make_topic(state, "v", "", limits).error(), ec::too_large);
  make("t", "b");
  const auto refused = rules::make_topic(state, "u", "b", limits);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error(), ec::too_large);
  EXPECT_NE(render(refused.error()).find("3 channels"), std::string::npos);
  end("t", "b"); // counts until it is gone
  EXPECT_FALSE(rules::make_topic(state, "u", "b", limits));
  complete("t");
  EXPECT_TRUE(rules::make_topic(state, "u", "b", limits));
}

TEST_F(topic_rules, a_pause_of_a_channel_is_a_setting_of_its_queue) {
  make("t", "a");
  apply(rules::pause_topic(state, "t", "a", true));
  EXPECT_TRUE(state.queues.at("nsq/t/a").suspended);
  const auto again = rules::pause_topic(state, "t", "a", true);
  ASSERT_TRUE(again);
  EXPECT_TRUE(again->empty());
  EXPECT_EQ(rules::pause_topic(state, "t", "b", true).error(), ec::not_found);
  EXPECT_EQ(rules::pause_topic(state, "u", "", true).error(), ec::not_found);
}

TEST_F(topic_rules, other_shards_do_not_follow_topics) {
  make("t", "a");
  control_state other;
  EXPECT_TRUE(rules::differences(other, state).empty());
  EXPECT_TRUE(rules::differences(state, other).empty());
}

TEST(copies_of_an_item, refer_to_the_one_that_comes_with_them) {
  item_enqueued first;
  first.id = 7;
  first.queue = "a";
  first.size = 4;
  first.received_us = 9;
  first.body = "body";
  const auto copy = rules::copy_of(first, 8, "b");
  EXPECT_EQ(copy.id, 8u);
  EXPECT_EQ(copy.queue, "b");
  EXPECT_EQ(copy.of, 7u);
  EXPECT_EQ(copy.size, 4u);
  EXPECT_EQ(copy.received_us, 9);
}

TEST(copies_of_an_item, write_bytes_again_that_are_nowhere_yet) {
  rules::waiting_item of;
  of.id = 7;
  of.received_us = 9;
  of.body = std::make_shared<const std::string>("body");
  rules::later_copies copies{of};
  const auto first = std::get<item_enqueued>(copies.next(8, "b"));
  EXPECT_EQ(first.body, "body");
  EXPECT_EQ(first.received_us, 9);
  EXPECT_EQ(std::get<item_copied>(copies.next(9, "c")).of, 8u);
  EXPECT_EQ(std::get<item_copied>(copies.next(10, "d")).of, 8u);
}

TEST(copies_of_an_item, refer_to_where_its_bytes_are) {
  rules::waiting_item of;
  of.id = 7;
  of.place = {1, 2, 3};
  rules::later_copies copies{of};
  for (const item_id id : {8, 9}) {
    const auto copy = std::get<item_copied>(copies.next(id, "b"));
    EXPECT_EQ(copy.of, 0u);
    EXPECT_EQ(copy.at, of.place);
    EXPECT_EQ(copy.place, of.place);
  }
}

TEST(topic_queue_names, say_topic_and_channel) {
  EXPECT_EQ(topic_of_queue("nsq/t/c").topic, "t");
  EXPECT_EQ(topic_of_queue("nsq/t/c").channel, "c");
  EXPECT_EQ(topic_of_queue("nsq/t").topic, "t");
  EXPECT_EQ(topic_of_queue("nsq/t").channel, "");
  EXPECT_EQ(topic_of_queue("q").topic, "");
  EXPECT_FALSE(is_topic_queue("dedupq/nsq/t"));
  for (shard_number count : {1u, 4u, 256u}) {
    EXPECT_EQ(shard_of_queue("nsq/t/c", count), shard_of("t", count));
    EXPECT_EQ(shard_of_queue("nsq/t", count), shard_of("t", count));
    EXPECT_EQ(shard_of_queue("t", count), shard_of("t", count));
  }
}

} // namespace

} // namespace depositd
