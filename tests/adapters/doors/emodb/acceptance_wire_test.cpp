// Cases W1 to W5, W7, W8, and what the real client was seen to send.

#include "tests/adapters/doors/emodb/acceptance_fixture.hpp"
#include "tests/adapters/doors/http/gzip.hpp"
#include "tests/adapters/doors/http/raw_client.hpp"

using namespace depositd::testing;
using namespace std::chrono_literals;

namespace {

/// In two chunks and the end.
std::string chunked(const std::string& body) {
  const auto chunk = [](const std::string& x) {
    char size[20];
    std::snprintf(size, sizeof size, "%zx\r\n", x.size());
    return size + x + "\r\n";
  };
  const auto half = body.size() / 2;
  std::string out;
  if (half > 0)
    out += chunk(body.substr(0, half));
  return out + chunk(body.substr(half)) + "0\r\n\r\n";
}

class wire : public emodb_doors {
protected:
  /// Request line and the headers that every request has.
  std::string head(const std::string& method, const std::string& path,
                   const std::string& more = {}) const {
    return method + " " + client.base() + "/" + path
           + " HTTP/1.1\r\nHost: a\r\nX-BV-API-Key: " + key_of_all + "\r\n"
           + more;
  }

  std::string get(const std::string& path) const {
    return head("GET", path, "\r\n");
  }

  std::string post(const std::string& path, const std::string& body) const {
    return head("POST", path,
                "Content-Type: application/json\r\nContent-Length: "
                  + std::to_string(body.size()) + "\r\n\r\n")
           + body;
  }

  std::string post_chunked(const std::string& path, const std::string& body,
                           const std::string& more = {}) const {
    return head("POST", path,
                more
                  + "Content-Type: application/json\r\n"
                    "Transfer-Encoding: chunked\r\n\r\n")
           + chunked(body);
  }

  static constexpr const char* ok = R"({"success":true})";

  raw_client raw{shared_engine().http_port()};
};

} // namespace

ON_BOTH_DOORS(wire);

TEST_P(wire, W1_the_wrong_method_is_405_and_names_the_right_one) {
  EXPECT_TRUE(is_wrong_method(client.post(q + "/poll", "[]"), "GET"));
  EXPECT_TRUE(is_wrong_method(client.get(q), "DELETE"));
  EXPECT_TRUE(is_wrong_method(client.get("_sendbatch"), "POST"));
  EXPECT_TRUE(is_wrong_method(client.remove("_move"), "POST"));
  EXPECT_TRUE(is_wrong_method(client.remove("_sendbatch"), "POST"));
  EXPECT_TRUE(is_wrong_method(client.get(q + "/send"), "POST"));
  EXPECT_TRUE(is_wrong_method(client.remove(q + "/ack"), "POST"));
  EXPECT_TRUE(is_wrong_method(client.post("send", "1"), "DELETE"));
}

TEST_P(wire, W1_head_claims_nothing) {
  client.send(q, "1");
  ASSERT_TRUE(raw.send(head("HEAD", q + "/poll",
                            "Connection: close\r\n\r\n")));
  EXPECT_TRUE(raw.closed());
  EXPECT_EQ(client.claims(q), 0);
  EXPECT_EQ(client.poll(q).size(), 1u);
}

TEST_P(wire, W2_what_is_no_route_is_404) {
  EXPECT_TRUE(has_status(client.get(q + "/nosuch"), 404));
  EXPECT_TRUE(has_status(client.post("/send", "1"), 404));
  EXPECT_TRUE(has_status(client.get(q + "/poll/more"), 404));
  EXPECT_TRUE(has_status(client.get("_move/a/b"), 404));
}

TEST_P(wire, W3_who_accepts_no_json_gets_406) {
  for (const char* accept :
       {"Accept: text/html", "Accept: text/html, image/*;q=0.5",
        "Accept: application/xml", "Accept: application/json;q=0"})
    EXPECT_TRUE(has_status(client.call("GET", q + "/poll", {accept}), 406))
      << accept;
  for (const char* accept :
       {"Accept: application/json", "Accept: */*", "Accept: application/*",
        "Accept: text/html, application/json;q=0.1", "Accept:",
        "Accept: application/json;charset=utf-8"})
    EXPECT_TRUE(says(client.call("GET", q + "/poll", {accept}), "[]"))
      << accept;
}

TEST_P(wire, W4_every_200_is_plain_application_json) {
  const auto sent = client.post(q + "/send", "1");
  EXPECT_EQ(sent.header("content-type"), "application/json");
  for (const char* path :
       {"/poll?ttl=0", "/peek", "/size", "/claimcount", "/uncached_size"})
    EXPECT_EQ(client.get(q + path).header("content-type"), "application/json")
      << path;
  const auto id = client.peek(q).at(0);
  for (const char* path : {"/renew", "/ack"})
    EXPECT_TRUE(is_ok(client.post(q + path, ids_of({id})))) << path;
  EXPECT_TRUE(is_ok(client.post(q + "/unclaimall")));
  EXPECT_TRUE(is_ok(client.remove(q)));
  const auto reference = client.move(q, fresh());
  EXPECT_EQ(client.get("_move/" + reference).header("content-type"),
            "application/json");
}

TEST_P(wire, W5_the_engine_says_that_it_is_healthy) {
  const auto admin = shared_engine().admin_port();
  raw_client health{admin};
  const auto x = health.exchange(
    "HEAD /healthcheck HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  ASSERT_TRUE(x);
  EXPECT_EQ(x->status, 200u);
  EXPECT_TRUE(health.closed());
  http_client plain{admin};
  EXPECT_TRUE(has_status(plain.send({"GET", "/healthcheck", {}, {}}), 200));
  http_client open{shared_engine().http_port()};
  EXPECT_TRUE(has_status(open.send({"GET", "/ping", {}, {}}), 200));
}

TEST_P(wire, W7_a_body_may_be_compressed) {
  const auto body = gzip(R"({"a":1})");
  EXPECT_TRUE(is_ok(client.call(
    "POST", q + "/send",
    {"Content-Type: application/json", "Content-Encoding: gzip"}, body)));
  EXPECT_EQ(client.poll(q).at(0).payload, R"({"a":1})");
}

TEST_P(wire, W7_and_in_chunks_as_the_real_client_does) {
  const auto x = raw.exchange(
    post_chunked(q + "/sendbatch", gzip("[1,2]"),
                 "Content-Encoding: gzip\r\nAccept-Encoding: gzip\r\n"));
  ASSERT_TRUE(x);
  EXPECT_EQ(x->status, 200u);
  EXPECT_EQ(x->body, ok);
  EXPECT_EQ(client.size(q), 2);
}

TEST_P(wire, W7_what_is_not_compressed_as_it_says_is_refused) {
  const auto x = client.call(
    "POST", q + "/send",
    {"Content-Type: application/json", "Content-Encoding: gzip"}, "{\"a\":1}");
  EXPECT_EQ(x.status, 400u) << x;
  EXPECT_EQ(client.size(q), 0);
}

TEST_P(wire, W8_an_idle_connection_is_used_again) {
  auto x = raw.exchange(post(q + "/send", "1"));
  ASSERT_TRUE(x);
  EXPECT_EQ(x->body, ok);
  EXPECT_FALSE(raw.closed_within(2000));
  x = raw.exchange(post(q + "/send", "2"));
  ASSERT_TRUE(x);
  EXPECT_EQ(x->body, ok);
  EXPECT_EQ(client.size(q), 2);
}

// -- as clients were seen to do it --------------------------------------------

TEST_P(wire, bodies_come_in_chunks_without_a_length) {
  for (const auto& [path, body] :
       std::vector<std::pair<std::string, std::string>>{
         {q + "/send", R"({"a":1})"},
         {q + "/sendbatch", "[1,2]"},
         {"_sendbatch", R"({")" + q + R"(":[3]})"},
         {q + "/ack?partitioned=false", "[]"},
         {q + "/renew?ttl=30&partitioned=false", "[]"}}) {
    const auto x = raw.exchange(post_chunked(path, body));
    ASSERT_TRUE(x) << path;
    EXPECT_EQ(x->status, 200u) << path << x->body;
    EXPECT_EQ(x->body, ok) << path;
  }
  EXPECT_EQ(client.size(q), 4);
}

TEST_P(wire, an_empty_chunked_body_is_an_empty_body) {
  const auto x = raw.exchange(head("POST", q + "/send",
                                   "Content-Type: application/json\r\n"
                                   "Transfer-Encoding: chunked\r\n\r\n")
                              + "0\r\n\r\n");
  ASSERT_TRUE(x);
  EXPECT_EQ(x->status, 422u);
  EXPECT_EQ(x->body, R"({"errors":[]})");
}

TEST_P(wire, requests_without_a_body_need_no_length) {
  for (const auto& text :
       {head("POST", q + "/unclaimall?partitioned=false", "\r\n"),
        head("POST", q + "/unclaimall", "Content-Length: 0\r\n\r\n"),
        head("DELETE", q + "?partitioned=false", "\r\n")}) {
    const auto x = raw.exchange(text);
    ASSERT_TRUE(x) << text;
    EXPECT_EQ(x->status, 200u) << text;
    EXPECT_EQ(x->body, ok) << text;
  }
}

TEST_P(wire, a_plus_sign_in_a_parameter_is_a_blank) {
  const auto x = client.get(q + "/poll?ttl=a+b");
  EXPECT_TRUE(is_unreadable(x, "\"a b\" is not a number."));
}

TEST_P(wire, pipelined_requests_are_answered_in_order) {
  std::string text;
  for (int i = 0; i < 20; ++i)
    text += post(q + "/send", std::to_string(i)) + get(q + "/size");
  ASSERT_TRUE(raw.send(text));
  for (int i = 0; i < 20; ++i) {
    const auto sent = raw.receive();
    const auto size = raw.receive();
    ASSERT_TRUE(sent && size) << i;
    EXPECT_EQ(sent->body, ok);
    EXPECT_EQ(size->body, std::to_string(i + 1));
  }
}

TEST_P(wire, a_200_is_visible_to_the_next_call_of_anybody) {
  emodb_client other{shared_engine().http_port(), client.base()};
  for (int i = 0; i < 50; ++i) {
    client.send(q, std::to_string(i));
    ASSERT_EQ(other.size(q), 1) << i;
    const auto found = other.poll(q);
    ASSERT_EQ(found.size(), 1u) << i;
    ASSERT_EQ(client.claims(q), 1) << i;
    ASSERT_TRUE(is_ok(client.post(q + "/unclaimall")));
    ASSERT_EQ(other.poll(q), found) << i;
    client.ack(q, found);
    ASSERT_EQ(other.size(q), 0) << i;
  }
}

TEST_P(wire, a_refused_request_leaves_the_connection_usable) {
  for (const auto& bad :
       {post(q + "/send", "{bad"), get(q + "/nosuch"),
        post(q + "/poll", "[]"), post(q + "/ack", "[\"x\"]"),
        head("POST", q + "/send", "Content-Length: 1\r\n\r\n1")}) {
    const auto refused = raw.exchange(bad);
    ASSERT_TRUE(refused) << bad;
    EXPECT_GE(refused->status, 400u);
    if (refused->header("connection") == "close")
      break; // allowed, if it is said
    const auto x = raw.exchange(get(q + "/size"));
    ASSERT_TRUE(x) << bad;
    EXPECT_EQ(x->body, "0") << bad;
  }
}
