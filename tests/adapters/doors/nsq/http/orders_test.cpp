// Making, removing, emptying and pausing topics and channels, and what /stats
// tells of it.

#include "tests/adapters/doors/nsq/http/api_world.hpp"
#include "tests/support/kept_audit.hpp"

namespace depositd::testing {

namespace {

class orders : public api_world {
protected:
  nlohmann::json topic(std::size_t index = 0) {
    return stats()["topics"][index];
  }

  nlohmann::json channel() {
    return topic()["channels"][0];
  }
};

TEST_F(orders, row_h5_shows_in_the_statistics_what_is_there) {
  start();
  for (const auto* name : {"a", "b", "c", "d", "e"}) {
    const auto topic = std::string{"?topic="} + name;
    EXPECT_TRUE(says(post("/topic/create" + topic), ""));
    for (const auto* channel : {"1", "2", "3", "4", "5"})
      EXPECT_TRUE(
        says(post("/channel/create" + topic + "&channel=" + channel), ""));
    EXPECT_TRUE(says(post("/mpub" + topic, "1\n2\n3\n4\n5"), "OK"));
  }
  const auto all = stats()["topics"];
  ASSERT_EQ(all.size(), 5U);
  for (const auto& one : all) {
    EXPECT_EQ(one["message_count"], 5);
    EXPECT_EQ(one["message_bytes"], 5);
    EXPECT_EQ(one["depth"], 0);
    EXPECT_EQ(one["paused"], false);
    ASSERT_EQ(one["channels"].size(), 5U);
    for (const auto& channel : one["channels"]) {
      EXPECT_EQ(channel["depth"], 5);
      EXPECT_EQ(channel["backend_depth"], 5);
      EXPECT_EQ(channel["message_count"], 5);
      EXPECT_EQ(channel["paused"], false);
      EXPECT_EQ(channel["clients"], nlohmann::json::array());
    }
  }
}

TEST_F(orders, make_no_more_topics_than_a_caller_may) {
  nsq_http::door_options open;
  open.anonymous = true;
  open.makers = std::make_shared<nsq::topic_makers>(2);
  start(std::move(open));
  EXPECT_TRUE(says(post("/topic/create?topic=a"), ""));
  EXPECT_TRUE(says(post("/pub?topic=b", "m"), "OK"));
  for (const auto* target :
       {"/topic/create?topic=c", "/pub?topic=c", "/mpub?topic=c"})
    EXPECT_TRUE(refuses(post(target, "m"), 413, "LIMIT_REACHED")) << target;
  EXPECT_TRUE(refuses(post("/channel/create?topic=a&channel=c"), 413,
                      "LIMIT_REACHED"));
  EXPECT_TRUE(says(post("/mpub?topic=b", "m"), "OK"));
}

TEST_F(orders, row_h7_says_what_is_not_there) {
  start();
  core->topics["t"].channels["c"];
  for (const auto* verb : {"delete", "pause", "unpause", "empty"}) {
    const auto of_topic = std::string{"/topic/"} + verb;
    const auto of_channel = std::string{"/channel/"} + verb;
    EXPECT_TRUE(
      refuses(post(of_topic + "?topic=none"), 404, "TOPIC_NOT_FOUND"));
    EXPECT_TRUE(refuses(post(of_channel + "?topic=none&channel=c"), 404,
                        "TOPIC_NOT_FOUND"));
    EXPECT_TRUE(refuses(post(of_channel + "?topic=t&channel=none"), 404,
                        "CHANNEL_NOT_FOUND"));
    EXPECT_TRUE(refuses(post(of_topic), 400, "MISSING_ARG_TOPIC"));
    EXPECT_TRUE(refuses(post(of_channel), 400, "MISSING_ARG_TOPIC"));
    EXPECT_TRUE(
      refuses(post(of_channel + "?topic=t"), 400, "MISSING_ARG_CHANNEL"));
    EXPECT_TRUE(refuses(post(of_channel + "?topic=a$b&channel=c"), 400,
                        "INVALID_ARG_TOPIC"));
    EXPECT_TRUE(refuses(post(of_channel + "?topic=t&channel=a$b"), 400,
                        "INVALID_ARG_CHANNEL"));
    EXPECT_TRUE(refuses(get(of_topic + "?topic=t"), 405, "METHOD_NOT_ALLOWED"));
  }
  EXPECT_TRUE(refuses(post("/topic/delete?topic=a$b"), 404, "TOPIC_NOT_FOUND"));
  EXPECT_TRUE(refuses(post("/topic/empty?topic=a$b"), 400, "INVALID_TOPIC"));
  EXPECT_TRUE(refuses(post("/topic/create?topic=a$b"), 400, "INVALID_TOPIC"));
  EXPECT_TRUE(refuses(post("/topic/create"), 400, "MISSING_ARG_TOPIC"));
  EXPECT_EQ(core->topics.size(), 1U);
}

TEST_F(orders, with_a_query_that_nobody_can_read_are_refused) {
  start();
  core->topics["t"].channels["c"];
  for (const auto* query : {"?topic=t&channel=c&x=%zz", "?topic=t;channel=c",
                            "?topic=t&channel=c%2", "?topic=%", "?%&topic=t"})
    for (const auto* path :
         {"/pub", "/mpub", "/topic/create", "/topic/delete", "/topic/empty",
          "/topic/pause", "/channel/create", "/channel/delete"})
      EXPECT_TRUE(refuses(post(std::string{path} + query, "x"), 400,
                          "INVALID_REQUEST"))
        << path << query;
  EXPECT_TRUE(refuses(get("/stats?x=%zz"), 400, "INVALID_REQUEST"));
  EXPECT_TRUE(refuses(get("/lookup?topic=t&x=%zz"), 400, "INVALID_REQUEST"));
  EXPECT_TRUE(refuses(post("/pub?topic=%", ""), 400, "MSG_EMPTY"));
  EXPECT_EQ(get("/ping?x=%zz").status, 200U);
  EXPECT_TRUE(says(post("/pub?topic=%74&x=%25zz&y=a%3Bb", "x"), "OK"));
  EXPECT_EQ(core->topics.size(), 1U);
}

TEST_F(orders, make_no_channel_of_a_topic_that_is_not_there) {
  start();
  EXPECT_TRUE(
    refuses(post("/channel/create?topic=t&channel=c"), 404, "TOPIC_NOT_FOUND"));
  EXPECT_EQ(stats()["topics"].size(), 0U);
}

TEST_F(orders, row_a1_pause_a_channel_that_goes_on_counting) {
  start();
  core->topics["t"].channels["c"].in_flight = 1;
  EXPECT_TRUE(says(post("/channel/pause?topic=t&channel=c"), ""));
  EXPECT_TRUE(says(post("/pub?topic=t", "x"), "OK"));
  EXPECT_EQ(channel()["paused"], true);
  EXPECT_EQ(channel()["depth"], 1);
  EXPECT_EQ(channel()["in_flight_count"], 1);
  EXPECT_TRUE(says(post("/channel/unpause?topic=t&channel=c"), ""));
  EXPECT_EQ(channel()["paused"], false);
}

TEST_F(orders, row_a2_pause_a_topic_that_then_keeps_what_comes) {
  start();
  core->topics["t"].channels["c"];
  EXPECT_TRUE(says(post("/topic/pause?topic=t"), ""));
  EXPECT_TRUE(says(post("/mpub?topic=t", "1\n2\n3"), "OK"));
  EXPECT_EQ(topic()["paused"], true);
  EXPECT_EQ(topic()["depth"], 3);
  EXPECT_EQ(channel()["depth"], 0);
  EXPECT_TRUE(says(post("/topic/unpause?topic=t"), ""));
  EXPECT_EQ(topic()["depth"], 0);
  EXPECT_EQ(channel()["depth"], 3);
}

TEST_F(orders, row_a4_empty_a_channel_of_everything) {
  start();
  auto& full = core->topics["t"].channels["c"];
  full.depth = 100;
  full.in_flight = 25;
  full.deferred = 1;
  EXPECT_TRUE(says(post("/channel/empty?topic=t&channel=c"), ""));
  for (const auto* key : {"depth", "in_flight_count", "deferred_count"})
    EXPECT_EQ(channel()[key], 0) << key;
}

TEST_F(orders, row_a5_empty_a_topic_and_say_what_its_channels_keep) {
  start();
  auto& full = core->topics["t"];
  full.depth = 7;
  full.channels["c"].depth = 4;
  full.channels["d"].deferred = 2;
  const auto x = post("/topic/empty?topic=t");
  EXPECT_TRUE(says(x, ""));
  EXPECT_EQ(x.header("x-depositd-messages-in-channels"), "6");
  EXPECT_EQ(topic()["depth"], 0);
  EXPECT_EQ(channel()["depth"], 4);
}

TEST_F(orders, row_a6_remove_a_channel_with_its_messages) {
  start();
  core->topics["t"].channels["c"].depth = 4;
  EXPECT_TRUE(says(post("/channel/delete?topic=t&channel=c"), ""));
  EXPECT_EQ(topic()["channels"].size(), 0U);
  EXPECT_TRUE(says(post("/topic/delete?topic=t"), ""));
  EXPECT_EQ(stats()["topics"].size(), 0U);
}

TEST_F(orders, of_nsqadmin_delete_at_the_lookup_and_then_at_the_server) {
  start();
  core->topics["orders"].channels["billing"];
  const std::string nsqadmin = "Accept: application/vnd.nsq; version=1.0\r\n";
  const std::string channel = "/channel/delete?topic=orders&channel=billing";
  const std::string topic = "/topic/delete?topic=orders";
  for (const auto& target : {channel, topic}) {
    EXPECT_TRUE(says(post(target, {}, nsqadmin), "")) << target;
    EXPECT_TRUE(says(post(target, {}, nsqadmin), "")) << target;
  }
  EXPECT_TRUE(refuses(post(topic), 404, "TOPIC_NOT_FOUND"));
  EXPECT_TRUE(refuses(
    post(topic, {}, "Accept: application/vnd.nsq version=1.0\r\n"), 404,
    "TOPIC_NOT_FOUND"));
  EXPECT_TRUE(refuses(post("/topic/pause?topic=orders", {}, nsqadmin), 404,
                      "TOPIC_NOT_FOUND"));
}

TEST_F(orders, row_a7_of_all_topics_are_each_answered_for_itself) {
  start();
  for (const auto* name : {"a", "b"})
    for (const auto* channel : {"c", "d"})
      core->topics[name].channels[channel].depth = 3;
  const auto each = [&](const std::string& verb) {
    unsigned failures = 0;
    for (const auto* name : {"a", "b", "gone"})
      for (const auto* channel : {"c", "d"})
        failures +=
          post("/channel/" + verb + "?topic=" + name + "&channel=" + channel)
            .status
          != 200;
    return failures;
  };
  EXPECT_EQ(each("pause"), 2U);
  const auto paused = stats();
  for (const auto& one : paused["topics"])
    for (const auto& channel : one["channels"])
      EXPECT_EQ(channel["paused"], true);
  EXPECT_EQ(each("unpause"), 2U);
  EXPECT_EQ(each("empty"), 2U);
  const auto after = stats();
  for (const auto& one : after["topics"])
    for (const auto& channel : one["channels"]) {
      EXPECT_EQ(channel["paused"], false);
      EXPECT_EQ(channel["depth"], 0);
    }
}

TEST_F(orders, are_refused_when_the_store_fails) {
  start();
  core->topics["t"];
  core->fails = ec::store_failed;
  EXPECT_TRUE(refuses(post("/topic/pause?topic=t"), 500, "INTERNAL_ERROR"));
  EXPECT_EQ(get("/ping").status, 500U);
}

TEST_F(orders, leave_a_line_in_the_audit_log) {
  kept_audit kept;
  nsq_http::door_options options;
  options.audit = kept.audit;
  add_key("ops", {{queue_right::any, "nsq/*"}});
  start(std::move(options));
  core->topics["t"].channels["c"];
  EXPECT_TRUE(says(post("/pub?topic=t", "x", bearer("ops")), "OK"));
  EXPECT_EQ(kept.take(), "") << "what clients do all day";
  for (const auto* verb : {"pause", "unpause", "empty", "delete"}) {
    EXPECT_TRUE(says(post(std::string{"/channel/"} + verb
                            + "?topic=t&channel=c",
                          "", bearer("ops")),
                     ""));
    EXPECT_EQ(kept.take(), std::string{"audit who=\"key ops from 127.0.0.1\" "
                                       "command=\"channel "}
                             + verb
                             + "\" arguments={\"topic\":\"t\",\"name\":\"c\"} "
                               "before=null after=null result=\"done\"\n");
  }
  EXPECT_TRUE(refuses(post("/topic/delete?topic=none", "", bearer("ops")), 404,
                      "TOPIC_NOT_FOUND"));
  const auto refused = kept.take();
  EXPECT_NE(refused.find("command=\"topic delete\""), std::string::npos)
    << refused;
  EXPECT_EQ(refused.find("result=\"done\""), std::string::npos) << refused;
}

} // namespace

} // namespace depositd::testing
