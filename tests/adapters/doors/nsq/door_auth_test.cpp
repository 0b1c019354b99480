// Who may do what.

#include "adapters/stores/files/sha256.hpp"
#include "tests/adapters/doors/nsq/door_fixture.hpp"
#include "tests/support/scripted_server.hpp"

namespace depositd::testing {

namespace {

class nsq_auth : public nsq_door {
protected:
  /// A key that may do one thing.
  void add_key(const std::string& name, const std::string& secret,
               queue_right right, const std::string& queue) {
    control->keys[name] = {name, sha256_hex(secret), {{right, queue}}};
  }

  /// As if others could come.
  void start_for_strangers(const std::string& address = {}) {
    start([&](auto& x) {
      x.listen = {"0.0.0.0", 0};
      x.auth_http_address = address;
    });
  }

  door_client entered(const std::string& secret) {
    auto out = client();
    out.say("AUTH", secret);
    said = out.answer();
    return out;
  }

  std::string said;
};

TEST_F(nsq_auth, strangers_need_a_login_first) {
  start_for_strangers();
  auto x = client();
  EXPECT_NE(
    x.identify(R"("feature_negotiation":true)").find(R"("auth_required":true)"),
    std::string::npos);
  x.say("SUB t c");
  EXPECT_EQ(x.error(), "E_AUTH_FIRST AUTH required before SUB");
  EXPECT_TRUE(x.closed());
  auto y = client();
  y.say("MPUB t"); // its body need not come
  EXPECT_EQ(y.error(), "E_AUTH_FIRST AUTH required before MPUB");
  EXPECT_TRUE(y.closed());
}

TEST_F(nsq_auth, a_login_and_what_needs_it_may_come_together) {
  add_key("sender", "s3cret", queue_right::post, "nsq/t");
  start_for_strangers();
  auto x = client();
  const std::string size{"\0\0\0\6", 4};
  x.send("AUTH\n" + size + "s3cret" + "PUB t\n" + size + "a body");
  EXPECT_NE(x.answer().find("\"identity\":\"sender\""), std::string::npos);
  EXPECT_EQ(x.answer(), "OK");
}

TEST_F(nsq_auth, a_key_is_a_login) {
  add_key("sender", "s3cret", queue_right::post, "nsq/t");
  add_key("reader", "r3ader", queue_right::poll, "nsq/t/*");
  start_for_strangers();
  auto x = entered("s3cret");
  EXPECT_EQ(said, R"({"identity":"sender","identity_url":"",)"
                  R"("permission_count":1})");
  x.say("PUB t", "a");
  EXPECT_EQ(x.answer(), "OK");
  EXPECT_EQ(world->published().at(0).user, "sender");
  x.say("PUB other", "a");
  EXPECT_EQ(x.error(), R"(E_UNAUTHORIZED AUTH failed for PUB on "other" "")");
  EXPECT_TRUE(x.closed());
  auto y = entered("r3ader");
  EXPECT_EQ(y.consume("t", "c", 1), "OK");
  EXPECT_EQ(y.message()->body, "a");
  EXPECT_EQ(door->statistics("t", "c").at(0).auth_identity, "reader");
}

TEST_F(nsq_auth, what_is_no_key_ends_the_connection) {
  add_key("sender", "s3cret", queue_right::post, "nsq/t");
  start_for_strangers();
  auto x = client();
  x.say("AUTH", "guess");
  EXPECT_EQ(x.error(), "E_AUTH_FAILED AUTH failed");
  EXPECT_TRUE(x.closed());
  auto y = entered("s3cret");
  y.say("AUTH", "s3cret");
  EXPECT_EQ(y.error(), "E_INVALID AUTH already set");
}

TEST_F(nsq_auth, where_nobody_has_a_key_there_is_no_login) {
  auto x = client();
  x.say("AUTH", "s");
  EXPECT_EQ(x.error(), "E_AUTH_DISABLED AUTH disabled");
}

TEST_F(nsq_auth, row_q34_a_server_says_who_may_do_what) {
  scripted_server server{[](const std::string& request) {
    if (request.find("secret=none") != std::string::npos)
      return scripted_server::ok(R"({"ttl":60,"authorizations":[]})");
    return scripted_server::ok(R"({"ttl":60,"identity":"the one",
      "identity_url":"http://one","authorizations":[{"topic":"^t$",
      "channels":[".*"],"permissions":["publish","subscribe"]}]})");
  }};
  start_for_strangers("127.0.0.1:" + std::to_string(server.port()));
  auto nobody = client();
  nobody.say("AUTH", "none");
  EXPECT_EQ(nobody.error(), "E_UNAUTHORIZED AUTH no authorizations found");
  EXPECT_TRUE(nobody.closed());
  auto first = client();
  first.say("SUB t c");
  EXPECT_EQ(first.error(), "E_AUTH_FIRST AUTH required before SUB");
  auto x = entered("some");
  EXPECT_EQ(said, R"({"identity":"the one","identity_url":"http://one",)"
                  R"("permission_count":1})");
  x.say("PUB t", "a");
  EXPECT_EQ(x.answer(), "OK");
  EXPECT_EQ(world->published().at(0).user, "the_one");
  EXPECT_EQ(x.consume("t", "c", 1), "OK");
  EXPECT_EQ(x.message()->body, "a");
  x.say("PUB u", "a");
  EXPECT_EQ(x.error(), R"(E_UNAUTHORIZED AUTH failed for PUB on "u" "")");
  EXPECT_NE(server.requests().back().find("remote_ip=127.0.0.1"),
            std::string::npos);
}

TEST_F(nsq_auth, a_server_is_asked_again_when_its_word_is_old) {
  std::atomic<int> asked{0};
  scripted_server server{[&](const std::string&) {
    ++asked;
    return scripted_server::ok(R"({"ttl":1,"authorizations":[{"topic":".*",
      "channels":[".*"],"permissions":["publish"]}]})");
  }};
  start_for_strangers("127.0.0.1:" + std::to_string(server.port()));
  auto x = entered("some");
  EXPECT_TRUE(x.silent(ms{1'100}));
  x.say("PUB t", "a");
  EXPECT_EQ(x.answer(), "OK");
  EXPECT_EQ(asked, 2);
}

TEST_F(nsq_auth, a_server_that_fails_lets_nobody_in) {
  scripted_server server{[](const std::string&) {
    return scripted_server::response("500 Bad", "", "{}");
  }};
  start_for_strangers("127.0.0.1:" + std::to_string(server.port()));
  auto x = client();
  x.say("AUTH", "some");
  EXPECT_EQ(x.error(), "E_AUTH_FAILED AUTH failed");
  EXPECT_TRUE(x.closed());
}

} // namespace

} // namespace depositd::testing
