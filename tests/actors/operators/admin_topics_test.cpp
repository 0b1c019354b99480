// Topics and channels, as operators see and order them.

#include "actors/operators/command.hpp"
#include "tests/actors/operators/admin_fixture.hpp"

namespace depositd::testing {
namespace {

class admin_topics_test : public admin_fixture {
protected:
  admin_topics_test() {
    world_.topics.topics = {
      {"a", false, 1, 10, 100, {{"x", true, 2, 3, 4, 10, 5, 6}, {"y"}}},
      {"b", true, 0, 0, 0, {{"x"}}}};
  }

  /// What was ordered, as "topic/channel" each.
  std::vector<std::string> ordered_of(topic_action what) const {
    std::vector<std::string> out;
    for (const auto& x : world_.topic_orders) {
      EXPECT_EQ(x.what, what);
      out.push_back(x.topic + (x.channel.empty() ? "" : "/" + x.channel));
    }
    return out;
  }

  using names = std::vector<std::string>;
};

TEST_F(admin_topics_test, list_tells_of_topics_and_their_channels) {
  const auto x = run("topic list");
  ASSERT_EQ(x["topics"].size(), 2u);
  const auto& a = x["topics"][0];
  EXPECT_EQ(a["name"], "a");
  EXPECT_EQ(a["paused"], false);
  EXPECT_EQ(a["depth"], 1);
  EXPECT_EQ(a["messages"], 10);
  EXPECT_EQ(a["bytes"], 100);
  const json channel{{"topic", "a"},   {"name", "x"},    {"paused", true},
                     {"depth", 2},     {"in_flight", 3}, {"deferred", 4},
                     {"messages", 10}, {"requeued", 5},  {"timed_out", 6}};
  EXPECT_EQ(a["channels"][0], channel);
  EXPECT_EQ(run("channel show", {{"topic", "a"}, {"name", "x"}}), channel);
  EXPECT_EQ(run("channel list")["channels"].size(), 3u);
  EXPECT_EQ(run("channel list", {{"topic", "a"}})["channels"].size(), 2u);
  EXPECT_EQ(run("topic show", {{"name", "b"}})["paused"], true);
  refusal("topic show", {{"name", "c"}}, ec::not_found);
  refusal("channel show", {{"topic", "a"}, {"name", "z"}}, ec::not_found);
}

TEST_F(admin_topics_test, pages_go_on_behind_a_name) {
  const auto x = run("topic list", {{"limit", 1}});
  EXPECT_EQ(x["topics"].size(), 1u);
  EXPECT_EQ(x["next"], "a");
  const auto y = run("topic list", {{"limit", 1}, {"after", "a"}});
  EXPECT_EQ(y["topics"][0]["name"], "b");
  EXPECT_FALSE(y.contains("next"));
  EXPECT_EQ(run("channel list", {{"after", "a/x"}})["channels"].size(), 2u);
}

TEST_F(admin_topics_test, orders_are_passed_on_and_audited) {
  EXPECT_EQ(run("topic create", {{"name", "t"}})["created"], true);
  EXPECT_EQ(run("channel create", {{"topic", "t"}, {"name", "c"}})["name"],
            "c");
  EXPECT_EQ(ordered_of(topic_action::create), (names{"t", "t/c"}));
  world_.topic_orders.clear();
  EXPECT_EQ(run("topic pause", {{"name", "t"}})["paused"], true);
  EXPECT_EQ(ordered_of(topic_action::pause), names{"t"});
  world_.topic_orders.clear();
  EXPECT_EQ(run("channel unpause", {{"topic", "t"}, {"name", "c"}})["paused"],
            false);
  EXPECT_EQ(ordered_of(topic_action::unpause), names{"t/c"});
  world_.topic_orders.clear();
  EXPECT_EQ(run("channel delete", {{"topic", "t"}, {"name", "c"}})["deleted"],
            true);
  EXPECT_EQ(ordered_of(topic_action::remove), names{"t/c"});
  EXPECT_EQ(audit_lines(), 5u);
}

TEST_F(admin_topics_test, row_a5_whoever_empties_a_topic_hears_what_stays) {
  const auto x = run("topic empty", {{"name", "a"}});
  EXPECT_EQ(x["emptied"], true);
  EXPECT_EQ(x["in_channels"], 9);
  EXPECT_FALSE(run("channel empty", {{"topic", "a"}, {"name", "x"}})
                 .contains("in_channels"));
}

TEST_F(admin_topics_test, row_a7_an_order_may_be_about_all) {
  EXPECT_EQ(run("topic pause", {{"all", true}})["done"], 2);
  EXPECT_EQ(ordered_of(topic_action::pause), (names{"a", "b"}));
  world_.topic_orders.clear();
  EXPECT_EQ(run("channel empty", {{"all", true}})["done"], 3);
  EXPECT_EQ(ordered_of(topic_action::empty), (names{"a/x", "a/y", "b/x"}));
  world_.topic_orders.clear();
  EXPECT_EQ(run("channel unpause", {{"topic", "a"}, {"all", true}})["done"], 2);
  EXPECT_EQ(ordered_of(topic_action::unpause), (names{"a/x", "a/y"}));
  EXPECT_EQ(audit_lines(), 3u);
}

TEST_F(admin_topics_test, row_a7_what_fails_of_all_is_reported) {
  world_.topic_refused = "a";
  const auto why = refusal("topic delete", {{"all", true}}, ec::store_failed);
  EXPECT_NE(why.find("1 of 2 failed"), std::string::npos) << why;
  EXPECT_NE(why.find("a: a is busy"), std::string::npos) << why;
  EXPECT_EQ(ordered_of(topic_action::remove), (names{"a", "b"}));
  EXPECT_EQ(audit_lines(), 1u);
}

TEST_F(admin_topics_test, either_one_is_named_or_all_are_meant) {
  refusal("topic pause");
  refusal("topic pause", {{"name", "a"}, {"all", true}});
  refusal("channel pause", {{"topic", "a"}});
  refusal("channel pause", {{"topic", "a"}, {"name", "x"}, {"all", true}});
  refusal("topic create", {{"name", "a"}, {"all", true}});
  EXPECT_TRUE(world_.topic_orders.empty());
}

TEST_F(admin_topics_test, what_destroys_asks_and_takes_an_administrator) {
  for (const auto* name :
       {"topic empty", "topic delete", "channel empty", "channel delete"}) {
    const auto* command = operators::find_command(name);
    ASSERT_NE(command, nullptr) << name;
    EXPECT_FALSE(command->row.question.empty()) << name;
    EXPECT_EQ(command->needs, operator_role::administer) << name;
  }
  EXPECT_EQ(operators::find_command("topic pause")->needs,
            operator_role::operate);
}

} // namespace
} // namespace depositd::testing
