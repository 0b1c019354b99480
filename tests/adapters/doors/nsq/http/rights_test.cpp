// Who is served, and what a key may do.

#include "tests/adapters/doors/nsq/http/api_world.hpp"

#include "messages/values/base64.hpp"
#include "tests/support/failed_logins.hpp"

namespace depositd::testing {

namespace {

class rights : public api_world {
protected:
  /// Keys only; who wrote "orders", who reads a channel of it, and who may do
  /// everything there.
  void start_closed(nsq_http::door_options options = {}) {
    add_key("writer", {{queue_right::post, "nsq/orders"}});
    add_key("reader", {{queue_right::poll, "nsq/orders/billing"}});
    add_key("boss", {{queue_right::any, "nsq/orders*"}});
    add_key("all", {{queue_right::any, "nsq/*"}});
    core->topics["orders"].channels["billing"];
    core->topics["secret"];
    start(std::move(options));
  }
};

TEST_F(rights, none_without_a_key_where_keys_are_asked_for) {
  start_closed();
  for (const auto* target : {"/stats", "/info", "/topics", "/nodes",
                             "/lookup?topic=orders", "/config/log_level"}) {
    const auto x = get(target);
    EXPECT_TRUE(refuses(x, 401, "UNAUTHORIZED")) << target;
    EXPECT_EQ(x.header("www-authenticate"), "Basic realm=\"depositd\"");
  }
  EXPECT_TRUE(refuses(post("/pub?topic=orders", "x"), 401, "UNAUTHORIZED"));
  EXPECT_TRUE(refuses(get("/stats", bearer("nobody")), 401, "UNAUTHORIZED"));
  EXPECT_TRUE(bodies().empty());
  EXPECT_EQ(get("/ping").status, 200U) << "load balancers have no key";
}

TEST_F(rights, come_with_a_key_in_each_of_its_places) {
  start_closed();
  const auto basic = encode_base64("anybody:key of writer");
  for (const auto& head :
       {std::string{"X-BV-API-Key: key of writer\r\n"}, bearer("writer"),
        "Authorization: Basic " + basic + "\r\n"})
    EXPECT_TRUE(says(post("/pub?topic=orders", "x", head), "OK")) << head;
  EXPECT_TRUE(says(post("/pub?topic=orders&secret=key+of+writer", "x"), "OK"));
  EXPECT_EQ(last().user, "writer");
}

TEST_F(rights, pages_of_others_have_none) {
  start();
  const std::string page = "Origin: http://evil.example\r\n";
  for (const auto* target : {"/pub?topic=orders", "/topic/create?topic=orders",
                             "/topic/delete?topic=orders"})
    EXPECT_TRUE(refuses(post(target, "x", page), 403, "FORBIDDEN")) << target;
  EXPECT_TRUE(refuses(
    post("/pub?topic=orders", "x", "Sec-Fetch-Site: cross-site\r\n"), 403,
    "FORBIDDEN"));
  EXPECT_TRUE(bodies().empty());
  EXPECT_TRUE(says(post("/pub?topic=orders", "x"), "OK"));
}

TEST_F(rights, of_a_login_that_a_browser_remembers_are_for_own_pages) {
  start_closed();
  const auto login = "Authorization: Basic "
                     + encode_base64("anybody:key of writer") + "\r\n";
  EXPECT_TRUE(refuses(post("/pub?topic=orders", "x",
                           login + "Origin: http://evil.example\r\n"),
                      403, "FORBIDDEN"));
  EXPECT_TRUE(says(post("/pub?topic=orders", "x", login), "OK"));
}

TEST_F(rights, of_a_key_end_when_it_expires) {
  core->control.key_terms["writer"] = {"writer", "writer", 1, 0};
  start_closed();
  EXPECT_TRUE(refuses(post("/pub?topic=orders", "x", bearer("writer")), 401,
                      "UNAUTHORIZED"));
}

TEST_F(rights, that_are_refused_are_counted_as_at_other_doors) {
  core->control.key_terms["writer"] = {"writer", "writer", 1, 0};
  start_closed();
  const auto refused = failed_logins("key_refused");
  const auto expired = failed_logins("key_expired");
  get("/stats", bearer("nobody"));
  EXPECT_EQ(failed_logins("key_refused"), refused + 1);
  post("/pub?topic=secret", "x", bearer("boss"));
  EXPECT_EQ(failed_logins("key_refused"), refused + 2);
  post("/pub?topic=orders", "x", bearer("writer"));
  EXPECT_EQ(failed_logins("key_expired"), expired + 1);
  EXPECT_EQ(failed_logins("key_refused"), refused + 2);
}

TEST_F(rights, to_publish_are_of_a_topic) {
  start_closed();
  EXPECT_TRUE(refuses(post("/pub?topic=secret", "x", bearer("writer")), 403,
                      "FORBIDDEN"));
  EXPECT_TRUE(refuses(post("/mpub?topic=orders", "x", bearer("reader")), 403,
                      "FORBIDDEN"));
  EXPECT_TRUE(says(post("/mpub?topic=orders", "x", bearer("boss")), "OK"));
  EXPECT_TRUE(
    refuses(post("/pub?topic=secret", "x", bearer("boss")), 403, "FORBIDDEN"));
}

TEST_F(rights, to_change_topics_are_for_whoever_may_do_everything) {
  start_closed();
  for (const auto* verb : {"create", "pause", "unpause", "empty"}) {
    const auto topic = std::string{"/topic/"} + verb + "?topic=orders";
    const auto channel =
      std::string{"/channel/"} + verb + "?topic=orders&channel=billing";
    for (const auto* who : {"writer", "reader"}) {
      EXPECT_TRUE(refuses(post(topic, {}, bearer(who)), 403, "FORBIDDEN"));
      EXPECT_TRUE(refuses(post(channel, {}, bearer(who)), 403, "FORBIDDEN"));
    }
    EXPECT_TRUE(says(post(topic, {}, bearer("boss")), "")) << topic;
    EXPECT_TRUE(says(post(channel, {}, bearer("boss")), "")) << channel;
  }
  EXPECT_TRUE(refuses(post("/topic/delete?topic=secret", {}, bearer("boss")),
                      403, "FORBIDDEN"));
  EXPECT_TRUE(
    refuses(post("/topic/tombstone?topic=secret&node=x", {}, bearer("boss")),
            403, "FORBIDDEN"));
  EXPECT_EQ(core->topics.count("secret"), 1U);
}

TEST_F(rights, to_change_settings_are_of_all_topics) {
  start_closed();
  EXPECT_TRUE(refuses(send("PUT", "/config/log_level", "info", bearer("boss")),
                      403, "FORBIDDEN"));
  EXPECT_TRUE(refuses(send("PUT", "/config/log_level", "loud", bearer("all")),
                      400, "INVALID_VALUE"));
}

TEST_F(rights, to_publish_are_bounded_by_the_quota_of_the_user) {
  auto& quota = core->control.quotas[{"nsq/orders", "writer"}];
  quota.queue = "nsq/orders";
  quota.user = "writer";
  quota.has_requests_per_second = true;
  quota.requests_per_second = 1;
  start_closed();
  EXPECT_TRUE(says(post("/pub?topic=orders", "x", bearer("writer")), "OK"));
  unsigned refused = 0;
  for (int i = 0; i < 20; ++i)
    refused += post("/pub?topic=orders", "x", bearer("writer")).status == 503;
  EXPECT_GT(refused, 0U);
  EXPECT_TRUE(says(post("/pub?topic=orders", "x", bearer("boss")), "OK"));
}

TEST_F(rights, decide_which_topics_are_seen) {
  start_closed();
  const auto topics = [&](const std::string& who) {
    return get("/topics", bearer(who)).body;
  };
  EXPECT_EQ(topics("writer"), R"({"topics":["orders"]})");
  EXPECT_EQ(topics("reader"), R"({"topics":["orders"]})");
  EXPECT_EQ(topics("all"), R"({"topics":["orders","secret"]})");
  EXPECT_TRUE(refuses(get("/lookup?topic=secret", bearer("reader")), 404,
                      "TOPIC_NOT_FOUND"));
  EXPECT_EQ(get("/stats", bearer("reader")).body.find("secret"),
            std::string::npos);
}

TEST_F(rights, decide_whose_messages_are_told_of) {
  nsq::client_facts both;
  both.client_id = "press";
  both.pub_counts = {{"orders", 5}, {"secret", 2}};
  nsq::client_facts hidden;
  hidden.client_id = "spy";
  hidden.pub_counts = {{"secret", 3}};
  nsq::client_facts consumer;
  consumer.client_id = "worker";
  consumer.topic = "orders";
  consumer.channel = "billing";
  consumer.pub_counts = {{"secret", 4}};
  nsq_http::door_options options;
  options.producers = [=] { return std::vector{both, hidden}; };
  options.consumers = [=] { return std::vector{consumer}; };
  start_closed(std::move(options));
  for (const auto* target : {"/stats", "/stats?format=json",
                             "/stats?format=json&topic=secret"}) {
    const auto told = get(target, bearer("reader")).body;
    EXPECT_EQ(told.find("secret"), std::string::npos) << told;
    EXPECT_EQ(told.find("spy"), std::string::npos) << told;
  }
  const auto told = [&](const std::string& target, const std::string& who) {
    return nlohmann::json::parse(get(target, bearer(who)).body);
  };
  const auto seen = told("/stats?format=json", "reader");
  ASSERT_EQ(seen["producers"].size(), 1U);
  EXPECT_EQ(seen["producers"][0]["pub_counts"].size(), 1U);
  EXPECT_EQ(seen["topics"][0]["channels"][0]["clients"].size(), 1U);
  EXPECT_EQ(told("/stats?format=json", "all")["producers"].size(), 2U);
  EXPECT_EQ(told("/stats?format=json&topic=orders", "all")["producers"].size(),
            1U);
}

} // namespace

} // namespace depositd::testing
