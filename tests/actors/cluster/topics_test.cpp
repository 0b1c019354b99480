// Topics where there are several shards: each has all of a topic that is named
// so, and every engine reaches all of them.

#include "messages/processors.hpp"
#include "messages/topics.hpp"
#include "tests/actors/cluster/shards_world.hpp"

namespace depositd::testing {

namespace {

class topics_over_shards : public shards_world {
protected:
  void SetUp() override {
    begin(4);
    a = &join("a");
    pass(milliseconds{500});
    b = &join("b");
    pass(milliseconds{3'000});
    ASSERT_EQ(owns(*a).size(), 2u);
    ASSERT_EQ(owns(*b).size(), 2u);
  }

  engine& owner_of(shard_number shard) {
    return a->cores.count(shard) > 0 ? *a : *b;
  }

  void make(engine& via, const std::string& topic, const std::string& channel) {
    const auto made =
      ask<done>(via.router, order_topic{topic, channel, topic_action::create});
    EXPECT_TRUE(made) << (made ? "" : render(made.error()));
  }

  topics_listed listed(engine& via, const std::string& topic = "") {
    auto out = ask<topics_listed>(via.router, list_topics{topic, ""});
    EXPECT_TRUE(out) << (out ? "" : render(out.error()));
    return out ? *out : topics_listed{};
  }

  static std::vector<std::string> names(const topics_listed& x) {
    std::vector<std::string> out;
    for (const auto& topic : x.topics)
      out.push_back(topic.name);
    return out;
  }

  engine* a = nullptr;
  engine* b = nullptr;
};

TEST_F(topics_over_shards, are_each_in_the_shard_of_their_name) {
  std::vector<std::string> wanted;
  for (shard_number shard = 0; shard < 4; ++shard) {
    const auto topic = name_in(shard, "t");
    wanted.push_back(topic);
    for (const auto* channel : {"x", "y"})
      make(shard % 2 == 0 ? *a : *b, topic, channel);
    const auto sent =
      ask<published>(b->router, publish{topic, "ann", 0, {"1", "2"}});
    ASSERT_TRUE(sent) << render(sent.error());
    EXPECT_EQ(sent->messages, 2u);
    const auto own = settings_in(owner_of(shard), shard);
    EXPECT_TRUE(own->topics.contains(topic));
    EXPECT_TRUE(own->queues.contains(channel_queue(topic, "x")));
    EXPECT_TRUE(own->queues.contains(channel_queue(topic, "y")));
  }
  pass(milliseconds{1'000});
  for (shard_number shard = 0; shard < 4; ++shard)
    EXPECT_EQ(settings_in(owner_of(shard), shard)->topics.size(), 1u)
      << "nobody follows another's topics";
  std::sort(wanted.begin(), wanted.end());
  for (auto* via : {a, b}) {
    const auto all = listed(*via);
    EXPECT_EQ(names(all), wanted);
    for (const auto& topic : all.topics) {
      ASSERT_EQ(topic.channels.size(), 2u);
      EXPECT_EQ(topic.channels[0].depth, 2u);
      EXPECT_EQ(topic.channels[1].depth, 2u);
    }
    EXPECT_EQ(names(listed(*via, wanted[1])),
              std::vector<std::string>{wanted[1]});
    EXPECT_TRUE(listed(*via, "none").topics.empty());
  }
}

TEST_F(topics_over_shards, are_consumed_through_any_engine) {
  for (shard_number shard = 0; shard < 4; ++shard) {
    const auto topic = name_in(shard, "t");
    auto& elsewhere = &owner_of(shard) == a ? *b : *a;
    const auto port = ask<queue_port_actor>(
      elsewhere.router, open_queue{channel_queue(topic, "c")});
    ASSERT_TRUE(port) << render(port.error());
    ASSERT_TRUE(ask<published>(a->router, publish{topic, "ann", 0, {"m"}}));
    const auto got = std::make_shared<std::vector<std::string>>();
    const auto consumer =
      spawn([=](processor_actor::pointer) -> processor_actor::behavior_type {
        return {[=](const deliver& x) {
          for (const auto& item : x.items)
            got->push_back(item.body);
        }};
      });
    const auto there =
      ask<attached>(*port, attach{consumer, "consumer", {}, 60'000, {}});
    ASSERT_TRUE(there);
    caf::anon_send(*port, settle_and_request{there->processor, 1, {}});
    settle();
    EXPECT_EQ(*got, std::vector<std::string>{"m"});
  }
}

TEST_F(topics_over_shards, survive_the_engine_that_had_them) {
  const auto topic = name_in(owns(*b).front(), "t");
  make(*a, topic, "c");
  ASSERT_TRUE(ask<published>(a->router, publish{topic, "ann", 0, {"1", "2"}}));
  ASSERT_TRUE(
    ask<done>(a->router, order_topic{topic, "c", topic_action::pause}));
  crash(*b);
  pass(milliseconds{10'000});
  const auto all = listed(*a, topic);
  ASSERT_EQ(all.topics.size(), 1u);
  ASSERT_EQ(all.topics[0].channels.size(), 1u);
  EXPECT_EQ(all.topics[0].channels[0].depth, 2u);
  EXPECT_TRUE(all.topics[0].channels[0].paused);
}

} // namespace

} // namespace depositd::testing
