// What is ordered of topics and channels.

#include "tests/actors/shard/topics_fixture.hpp"

#include <set>

namespace depositd {

namespace {

using counts = std::vector<std::uint64_t>;

class topics_orders_test : public testing::topics_fixture {};

TEST_F(topics_orders_test, row_a1_a_paused_channel_keeps_what_comes) {
  make("t", "c");
  ASSERT_TRUE(send("t", {"a"}));
  const auto who = consume("t", "c", 10);
  ASSERT_TRUE(say(topic_action::pause, "t", "c"));
  ASSERT_TRUE(send("t", {"b"}));
  EXPECT_EQ(who.got->items.size(), 1u);
  EXPECT_EQ(counts_of("t", "c"), (counts{1, 1, 0}));
  answer(who, 0);
  EXPECT_TRUE(who.got->settled.at(0).accepted);
  EXPECT_TRUE(channel_of("t", "c").paused);
  ASSERT_TRUE(say(topic_action::unpause, "t", "c"));
  EXPECT_EQ(who.got->bodies(), (std::vector<std::string>{"a", "b"}));
}

TEST_F(topics_orders_test, row_a2_in_a_paused_topic_messages_wait) {
  make("t", "a");
  make("t", "b");
  ASSERT_TRUE(say(topic_action::pause, "t"));
  ASSERT_TRUE(send("t", numbered("m", 5)));
  EXPECT_EQ(topic_of("t").depth, 5u);
  EXPECT_EQ(channel_of("t", "a").depth, 0u);
  make("t", "c"); // while paused: gets its share as all others do
  ASSERT_TRUE(say(topic_action::unpause, "t"));
  EXPECT_EQ(topic_of("t").depth, 0u);
  for (const auto* channel : {"a", "b", "c"})
    EXPECT_EQ(drain_channel("t", channel), numbered("m", 5)) << channel;
}

TEST_F(topics_orders_test, every_copy_of_what_waited_has_its_own_number) {
  const std::vector<std::string> channels{"c", "d", "e"};
  for (const auto& channel : channels)
    make("t", channel);
  ASSERT_TRUE(say(topic_action::pause, "t"));
  ASSERT_TRUE(send("t", numbered("m", 5)));
  ASSERT_TRUE(say(topic_action::unpause, "t"));
  std::set<item_id> numbers;
  for (const auto& channel : channels) {
    const auto who = consume("t", channel, 100);
    EXPECT_EQ(sorted(who.got->bodies()), numbered("m", 5)) << channel;
    for (const auto& item : who.got->items)
      numbers.insert(item.id);
  }
  EXPECT_EQ(numbers.size(), 15u);
}

TEST_F(topics_orders_test, row_a3_a_pause_survives_a_restart) {
  make("t", "c");
  ASSERT_TRUE(say(topic_action::pause, "t"));
  ASSERT_TRUE(say(topic_action::pause, "t", "c"));
  ASSERT_TRUE(send("t", {"a"}));
  restart();
  EXPECT_TRUE(topic_of("t").paused);
  EXPECT_TRUE(channel_of("t", "c").paused);
  EXPECT_EQ(topic_of("t").depth, 1u);
  ASSERT_TRUE(say(topic_action::unpause, "t"));
  EXPECT_EQ(channel_of("t", "c").depth, 1u);
  EXPECT_FALSE(topic_of("t").paused);
}

TEST_F(topics_orders_test,
       row_a4_an_emptied_channel_has_nothing_in_hand_either) {
  make("t", "c");
  ASSERT_TRUE(send("t", numbered("m", 30)));
  const auto who = consume("t", "c", 25);
  answer(who, 0, verdict::retry, 60'000);
  EXPECT_EQ(counts_of("t", "c"), (counts{5, 24, 1}));
  ASSERT_TRUE(say(topic_action::empty, "t", "c"));
  EXPECT_EQ(counts_of("t", "c"), (counts{0, 0, 0}));
  answer(who, 1);
  EXPECT_FALSE(who.got->settled.back().accepted);
  ASSERT_TRUE(send("t", {"new"}));
  want(who, 1);
  EXPECT_EQ(who.got->bodies().back(), "new");
}

TEST_F(topics_orders_test, row_a5_an_emptied_topic_leaves_its_channels_alone) {
  make("t", "c");
  ASSERT_TRUE(send("t", numbered("m", 3)));
  ASSERT_TRUE(say(topic_action::pause, "t"));
  ASSERT_TRUE(send("t", numbered("w", 2)));
  ASSERT_TRUE(say(topic_action::empty, "t"));
  EXPECT_EQ(topic_of("t").depth, 0u);
  EXPECT_EQ(channel_of("t", "c").depth, 3u);
}

TEST_F(topics_orders_test, row_a6_a_deleted_channel_ends_its_consumers) {
  make("t", "c");
  make("t", "other");
  ASSERT_TRUE(send("t", numbered("m", 3)));
  const auto who = consume("t", "c", 1);
  const auto downs = std::make_shared<int>(0);
  spawn([=](caf::event_based_actor* me) -> caf::behavior {
    me->monitor(who.door);
    me->set_down_handler([=](const caf::down_msg&) { ++*downs; });
    return {[](done) {}};
  });
  ASSERT_TRUE(say(topic_action::remove, "t", "c"));
  EXPECT_EQ(*downs, 1);
  EXPECT_EQ(topic_of("t").channels.size(), 1u);
  EXPECT_EQ(drain_channel("t", "other"), numbered("m", 3));
  // The name is free, and begins empty.
  make("t", "c");
  EXPECT_EQ(channel_of("t", "c").depth, 0u);
  EXPECT_EQ(channel_of("t", "c").messages, 0u);
}

TEST_F(topics_orders_test, a_deleted_topic_is_gone_for_good) {
  make("t", "c");
  ASSERT_TRUE(send("t", numbered("m", 3)));
  ASSERT_TRUE(say(topic_action::pause, "t"));
  ASSERT_TRUE(send("t", numbered("w", 3)));
  ASSERT_TRUE(say(topic_action::remove, "t"));
  EXPECT_FALSE(is_there("t"));
  restart();
  EXPECT_FALSE(is_there("t"));
  const auto known = ask<control_changed>(core, watch_control{nullptr});
  ASSERT_TRUE(known);
  EXPECT_FALSE(known->state->queues.contains("nsq/t"));
  EXPECT_FALSE(known->state->queues.contains("nsq/t/c"));
  EXPECT_TRUE(known->state->topics.empty());
  ASSERT_TRUE(send("t", {"new"}));
  make("t", "c");
  EXPECT_EQ(drain_channel("t", "c"), std::vector<std::string>{"new"});
}

TEST_F(topics_orders_test,
       what_is_said_of_something_that_ends_waits_until_it_has) {
  make("t", "c");
  ASSERT_TRUE(send("t", numbered("m", 50)));
  auto gone = self->request(core, caf::infinite,
                            order_topic{"t", "c", topic_action::remove});
  auto made = self->request(core, caf::infinite,
                            order_topic{"t", "c", topic_action::create});
  settle();
  const auto fail = [](const caf::error& why) { ADD_FAILURE() << render(why); };
  ASSERT_TRUE(self->has_next_message());
  gone.receive([](const done&) {}, fail);
  ASSERT_TRUE(self->has_next_message());
  made.receive([](const done&) {}, fail);
  EXPECT_EQ(counts_of("t", "c"), (counts{0, 0, 0}));
}

TEST_F(topics_orders_test, an_order_about_nothing_is_refused) {
  for (const auto what : {topic_action::remove, topic_action::empty,
                          topic_action::pause, topic_action::unpause}) {
    EXPECT_EQ(say(what, "none").error(), ec::not_found);
    make("t", "");
    EXPECT_EQ(say(what, "t", "none").error(), ec::not_found);
  }
  EXPECT_TRUE(say(topic_action::create, "t")) << "it is there already";
}

} // namespace

} // namespace depositd
