// Cases H1 to H9: who may do what.

#include "tests/adapters/doors/emodb/acceptance_fixture.hpp"

using namespace depositd::testing;

namespace {

struct route {
  std::string method;
  std::string path;
  std::string body;
};

/// Every route, on one queue.
std::vector<route> routes_of(const std::string& q) {
  return {{"POST", q + "/send", "1"},
          {"POST", q + "/sendbatch", "[1]"},
          {"POST", "_sendbatch", R"({")" + q + R"(":[1]})"},
          {"GET", q + "/poll", ""},
          {"POST", q + "/ack", "[]"},
          {"POST", q + "/ackpoll", "[]"},
          {"POST", q + "/renew", "[]"},
          {"GET", q + "/peek", ""},
          {"GET", q + "/size", ""},
          {"GET", q + "/uncached_size", ""},
          {"GET", q + "/claimcount", ""},
          {"POST", q + "/unclaimall", ""},
          {"DELETE", q, ""},
          {"POST", "_move?from=" + q + "&to=" + q + "-2", ""},
          {"GET", "_move/nope", ""}};
}

class keys : public emodb_doors {
protected:
  /// A client with a key of its own.
  emodb_client with_rights(const std::vector<std::string>& permits) {
    const auto name = fresh();
    shared_engine().add_key("key-" + name, "text-of-the-key-" + name, permits);
    return with_key("text-of-the-key-" + name);
  }

  emodb_client with_key(const std::string& key) {
    return emodb_client{shared_engine().http_port(), client.base(), key};
  }

  static http_answer ask(emodb_client& who, const route& x) {
    return who.call(x.method, x.path,
                    {x.body.empty() ? "Content-Type:"
                                    : "Content-Type: application/json"},
                    x.body);
  }
};

} // namespace

ON_BOTH_DOORS(keys);

TEST_P(keys, H1_nobody_gets_in_without_a_known_key) {
  auto nobody = with_key("");
  auto stranger = with_key("unknown-key");
  for (const auto& x : routes_of(q)) {
    EXPECT_TRUE(is_forbidden(ask(nobody, x))) << x.method << ' ' << x.path;
    EXPECT_TRUE(is_forbidden(ask(stranger, x))) << x.method << ' ' << x.path;
  }
  EXPECT_EQ(client.size(q), 0);
}

TEST_P(keys, H1_nothing_is_unpacked_without_a_known_key) {
  auto stranger = with_key("unknown-key");
  EXPECT_TRUE(is_forbidden(stranger.call(
    "POST", q + "/send",
    {"Content-Type: application/json", "Content-Encoding: gzip"}, "no gzip")));
}

TEST_P(keys, H1_other_text_than_the_key_is_not_the_key) {
  for (const auto& text :
       {key_of_all + "x", key_of_all.substr(1), "K" + key_of_all.substr(1),
        std::string{"tester"}, std::string(2000, 'k')}) {
    auto stranger = with_key(text);
    EXPECT_TRUE(is_forbidden(stranger.get(q + "/poll"))) << text.substr(0, 50);
  }
}

TEST_P(keys, H2_a_key_without_rights_on_the_queue_polls_nothing) {
  auto other = with_rights({"queue|*|" + fresh()});
  EXPECT_TRUE(is_forbidden(other.get(q + "/poll")));
  EXPECT_TRUE(is_forbidden(other.get(q + "/poll?partitioned=true")));
  EXPECT_TRUE(is_forbidden(other.get(q + "/poll?partitioned=false")));
}

TEST_P(keys, H2_deposits_are_not_among_all_queues) {
  if (client.base() != "/queue/1")
    GTEST_SKIP() << "there it is another queue";
  auto other = with_rights({"queue|*|*", "queue|*|meta*"});
  EXPECT_TRUE(is_forbidden(other.get("metadata/poll")));
  EXPECT_TRUE(is_forbidden(other.get("metadata/peek")));
  EXPECT_TRUE(is_forbidden(other.get("metadata/size")));
  EXPECT_TRUE(is_forbidden(other.post("metadata/ack", "[]")));
  EXPECT_TRUE(says(client.get("metadata/poll"), "[]"));
}

TEST_P(keys, H3_a_key_that_may_post_may_not_poll) {
  auto sender = with_rights({"queue|post|*", "queue|get_status|*"});
  EXPECT_TRUE(is_ok(sender.post(q + "/send", "1")));
  EXPECT_TRUE(is_ok(sender.post(q + "/sendbatch", "[2]")));
  EXPECT_TRUE(is_ok(sender.post("_sendbatch", R"({")" + q + R"(":[3]})")));
  EXPECT_EQ(sender.size(q), 3);
  EXPECT_EQ(sender.claims(q), 0);
  const auto found = client.peek(q);
  EXPECT_TRUE(is_forbidden(sender.get(q + "/poll")));
  EXPECT_TRUE(is_forbidden(sender.get(q + "/peek")));
  EXPECT_TRUE(is_forbidden(sender.post(q + "/ack", ids_of(found))));
  EXPECT_TRUE(is_forbidden(sender.post(q + "/renew", ids_of(found))));
  EXPECT_TRUE(is_forbidden(sender.post(q + "/unclaimall")));
  EXPECT_TRUE(is_forbidden(sender.remove(q)));
  EXPECT_EQ(client.size(q), 3);
  EXPECT_EQ(client.claims(q), 0);
}

TEST_P(keys, H3_the_right_to_post_alone_does_not_show_the_size) {
  auto sender = with_rights({"queue|post|" + q});
  EXPECT_TRUE(is_ok(sender.post(q + "/send", "1")));
  EXPECT_TRUE(is_forbidden(sender.get(q + "/size")));
  EXPECT_TRUE(is_forbidden(sender.get(q + "/claimcount")));
}

TEST_P(keys, H4_a_key_that_may_poll_may_not_post) {
  auto worker = with_rights({"queue|poll|" + q});
  client.send(q, "1");
  const auto found = worker.poll(q);
  EXPECT_EQ(found.size(), 1u);
  EXPECT_TRUE(is_forbidden(worker.post(q + "/send", "1")));
  EXPECT_TRUE(is_forbidden(worker.post(q + "/sendbatch", "[1]")));
  EXPECT_EQ(client.size(q), 1);
  worker.ack(q, found);
  EXPECT_EQ(client.size(q), 0);
}

TEST_P(keys, H5_a_batch_with_a_closed_queue_is_refused_by_its_name) {
  const auto open = fresh();
  auto sender = with_rights({"queue|*|" + open});
  EXPECT_TRUE(is_forbidden_for(
    sender.post("_sendbatch",
                R"({")" + open + R"(":[1],")" + q + R"(":[2]})"),
    q));
  EXPECT_EQ(client.size(open), 0);
  EXPECT_EQ(client.size(q), 0);
}

TEST_P(keys, H6_the_key_may_be_a_parameter) {
  auto nobody = with_key("");
  const auto key = "APIKey=" + key_of_all;
  EXPECT_TRUE(is_ok(nobody.post(q + "/send?" + key, "1")));
  EXPECT_TRUE(says(nobody.get(q + "/size?limit=5&" + key), "1"));
  EXPECT_TRUE(says(nobody.call("GET", q + "/size?" + key, {"X-BV-API-Key;"}),
                   "1"));
  auto stranger = with_key("unknown-key");
  EXPECT_TRUE(is_forbidden(stranger.get(q + "/size?" + key)));
  EXPECT_TRUE(is_forbidden(nobody.get(q + "/size?apikey=" + key_of_all)));
}

TEST_P(keys, H7_ordinary_keys_reach_no_system_queues) {
  auto ordinary = with_rights(
    {"queue|post|*", "queue|poll|*", "queue|get_status|*"});
  const auto name = "__" + q;
  EXPECT_TRUE(is_forbidden(ordinary.post(name + "/send", "1")));
  EXPECT_TRUE(is_forbidden(ordinary.get(name + "/poll")));
  EXPECT_TRUE(is_forbidden(ordinary.get(name + "/size")));
  EXPECT_TRUE(is_forbidden_for(
    ordinary.post("_sendbatch", R"({")" + name + R"(":[1]})"), name));
  EXPECT_TRUE(is_ok(client.post(name + "/send", "1")));
  EXPECT_EQ(client.size(name), 1);
}

TEST_P(keys, H8_the_key_is_checked_before_parameters_and_body) {
  auto nobody = with_key("");
  EXPECT_TRUE(is_forbidden(nobody.post(q + "/send", "{bad")));
  EXPECT_TRUE(is_forbidden(nobody.post(q + "/send", "")));
  EXPECT_TRUE(is_forbidden(nobody.post("_sendbatch", "[1]")));
  EXPECT_TRUE(is_forbidden(nobody.post(q + "/ack", "[7]")));
  EXPECT_TRUE(is_forbidden(nobody.get(q + "/poll?ttl=abc")));
  EXPECT_TRUE(is_forbidden(nobody.get(q + "/poll?partitioned=maybe")));
  EXPECT_TRUE(is_forbidden(nobody.get("BAD/poll")));
  EXPECT_TRUE(is_forbidden(nobody.post("_move")));
}

TEST_P(keys, H8_and_after_route_method_and_content_type) {
  auto nobody = with_key("");
  EXPECT_TRUE(has_status(nobody.get(q + "/nosuch"), 404));
  EXPECT_TRUE(has_status(nobody.get(q + "/send"), 405));
  EXPECT_TRUE(has_status(
    nobody.call("POST", q + "/send", {"Content-Type: text/plain"}, "1"), 415));
  EXPECT_TRUE(
    has_status(nobody.call("GET", q + "/poll", {"Accept: text/html"}), 406));
}

TEST_P(keys, H8_a_grant_that_does_not_match_hides_that_the_name_is_bad) {
  auto other = with_rights({"queue|*|" + q});
  EXPECT_TRUE(is_forbidden(other.get("BAD/poll")));
}

TEST_P(keys, H9_rights_hold_at_both_doors) {
  auto worker = with_rights({"queue|*|" + q});
  EXPECT_TRUE(is_ok(worker.post(q + "/send", "1")));
  EXPECT_EQ(worker.size(q), 1);
  EXPECT_EQ(worker.peek(q).size(), 1u);
  const auto found = worker.poll(q);
  EXPECT_EQ(found.size(), 1u);
  worker.renew(q, 60, found);
  worker.ack(q, found);
  EXPECT_EQ(worker.claims(q), 0);
  EXPECT_TRUE(is_ok(worker.post(q + "/unclaimall")));
  EXPECT_TRUE(is_ok(worker.remove(q)));
}

TEST_P(keys, a_star_at_the_end_stands_for_the_rest_of_the_name) {
  auto worker = with_rights({"queue|*|" + q + "-*"});
  EXPECT_TRUE(is_ok(worker.post(q + "-a/send", "1")));
  EXPECT_TRUE(is_forbidden(worker.post(q + "/send", "1")));
  EXPECT_TRUE(is_forbidden(worker.post(fresh() + "/send", "1")));
}

TEST_P(keys, a_removed_key_is_refused_at_once) {
  auto worker = with_rights({"queue|*|*"});
  EXPECT_TRUE(says(worker.get(q + "/size"), "0"));
  shared_engine().add_key("gone-" + q, "text-of-the-gone-" + q, {"queue|*|*"});
  auto gone = with_key("text-of-the-gone-" + q);
  EXPECT_TRUE(says(gone.get(q + "/size"), "0"));
  shared_engine().ctl({"key", "remove", "gone-" + q, "--yes"});
  EXPECT_TRUE(is_forbidden(gone.get(q + "/size")));
  EXPECT_TRUE(says(worker.get(q + "/size"), "0"));
}

TEST(anonymous, everybody_gets_in_where_it_is_allowed) {
  engine_process engine{engine_process::store::memory,
                        {"emodb.anonymous=true"}};
  engine.start();
  emodb_client nobody{engine.http_port(), "/queue/1", ""};
  EXPECT_TRUE(is_ok(nobody.post("a/send", "1")));
  EXPECT_EQ(nobody.size("a"), 1);
  const auto found = nobody.poll("a");
  EXPECT_EQ(found.size(), 1u);
  nobody.ack("a", found);
  EXPECT_TRUE(is_forbidden(nobody.post("__a/send", "1")));
  emodb_client stranger{engine.http_port(), "/queue/1", "unknown-key"};
  EXPECT_TRUE(is_forbidden(stranger.post("a/send", "1")));
  // A page that somebody has open is not everybody.
  EXPECT_TRUE(is_ok(nobody.post("a/send", "1")));
  for (const auto* page :
       {"Origin: http://evil.example", "Sec-Fetch-Site: cross-site",
        "Host: evil.example"}) {
    EXPECT_TRUE(is_forbidden(nobody.call("GET", "a/poll", {page}, ""))) << page;
    EXPECT_TRUE(is_forbidden(nobody.call("DELETE", "a", {page}, ""))) << page;
  }
  EXPECT_EQ(nobody.poll("a").size(), 1u);
}
