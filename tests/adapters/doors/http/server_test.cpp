// What the server does for decent clients.

#include "adapters/doors/http/body_stream.hpp"
#include "tests/adapters/doors/http/gzip.hpp"
#include "tests/adapters/doors/http/server_fixture.hpp"

#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

using namespace depositd;
using namespace depositd::testing;
using namespace std::chrono_literals;

namespace {

class http_server : public server_fixture {};

std::string post(const std::string& path, const std::string& body,
                 const std::string& more = {}) {
  return "POST " + path + " HTTP/1.1\r\nHost: a\r\n" + more
         + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

std::string get(const std::string& target) {
  return "GET " + target + " HTTP/1.1\r\nHost: a\r\n\r\n";
}

} // namespace

TEST_F(http_server, answers_and_decodes_the_query) {
  start();
  auto client = connect();
  const auto x = client.exchange(get("/hello?pwd=a%26b%2Bc+d%25%3D&x=100%"));
  ASSERT_TRUE(x);
  EXPECT_EQ(x->status, 200u);
  EXPECT_EQ(x->body, "GET /hello|pwd=a&b+c d%=|x=100%");
  EXPECT_EQ(x->header("content-type"), "text/plain;charset=UTF-8");
}

TEST_F(http_server, tells_who_is_behind_a_trusted_proxy) {
  const std::string forwarded = "GET /peer HTTP/1.1\r\nHost: a\r\n"
                                "X-Forwarded-For: 6.6.6.6\r\n"
                                "x-forwarded-for: 1.2.3.4, 127.0.0.9\r\n\r\n";
  auto proxies = kit::address_list::of({"127.0.0.0/8"});
  ASSERT_TRUE(proxies);
  start({.trusted_proxies = *proxies});
  EXPECT_EQ(connect().exchange(forwarded)->body, "1.2.3.4");
  EXPECT_EQ(connect().exchange(get("/peer"))->body, "127.0.0.1");
  start();
  EXPECT_EQ(connect().exchange(forwarded)->body, "127.0.0.1");
}

TEST_F(http_server, names_the_port_that_it_took) {
  start();
  EXPECT_NE(server_->port(), 0);
  EXPECT_EQ(server_->address(), "127.0.0.1:" + std::to_string(server_->port()));
}

TEST_F(http_server, says_that_a_port_is_taken) {
  start();
  auto second =
    http::server::start({.listen = {"127.0.0.1", server_->port()}}, {});
  ASSERT_FALSE(second);
  EXPECT_TRUE(second.error() == ec::bad_setting);
  EXPECT_NE(render(second.error()).find(server_->address()), std::string::npos);
}

TEST_F(http_server, keeps_connections_and_answers_pipelined_requests_in_order) {
  start();
  auto client = connect();
  std::string all;
  for (int i = 0; i < 50; ++i)
    all += get("/q/" + std::to_string(i)) + post("/later", std::to_string(i));
  client.send(all);
  for (int i = 0; i < 50; ++i) {
    auto x = client.receive();
    ASSERT_TRUE(x);
    EXPECT_EQ(x->body, std::to_string(i));
    x = client.receive();
    ASSERT_TRUE(x);
    EXPECT_EQ(x->body, std::to_string(i));
  }
  EXPECT_EQ(server_->numbers().accepted, 1u);
}

TEST_F(http_server, goes_on_with_who_asks_for_another_protocol) {
  start();
  auto client = connect();
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(client
                .exchange("GET /q/1 HTTP/1.1\r\nHost: a\r\n"
                          "Connection: Upgrade\r\nUpgrade: h2c\r\n\r\n")
                ->body,
              "1");
}

TEST_F(http_server, does_not_normalise_paths) {
  start();
  auto client = connect();
  for (const std::string name : {".", "..", "...", ""})
    EXPECT_EQ(client.exchange(get("/q/" + name + "/"))->body, name);
  EXPECT_EQ(client.exchange(get("/q/a%2F..%2Fb"))->body, "a/../b");
  EXPECT_EQ(client.exchange(get("/q/a/.."))->status, 404u);
}

TEST_F(http_server, names_allowed_methods_with_405) {
  start();
  auto client = connect();
  const auto x = client.exchange(post("/hello", "x"));
  EXPECT_EQ(x->status, 405u);
  EXPECT_EQ(x->header("allow"), "GET, HEAD");
  EXPECT_EQ(connect().exchange(get("/nothing"))->status, 404u);
}

TEST_F(http_server, answers_head_without_a_body) {
  start();
  auto client = connect();
  client.send("HEAD /hello HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  const auto x = client.receive();
  ASSERT_TRUE(x);
  EXPECT_EQ(x->status, 200u);
  EXPECT_EQ(x->header("content-length"), "11");
  EXPECT_EQ(x->body, "");
}

TEST_F(http_server, writes_no_header_that_would_be_two) {
  start();
  auto client = connect();
  const auto good =
    client.exchange("GET /header/said HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_EQ(good->header("x-said"), "said");
  for (const auto* value : {"a%0D%0AX-More:%20b", "a%0Ab", "a%0Db", "a%00b"}) {
    const auto x = client.exchange("GET /header/" + std::string{value}
                                   + " HTTP/1.1\r\nHost: a\r\n\r\n");
    ASSERT_TRUE(x) << value;
    EXPECT_EQ(x->status, 200u) << value;
    EXPECT_EQ(x->header("x-said") + x->header("x-more"), "") << value;
    EXPECT_EQ(x->body, "ok") << value;
  }
}

TEST_F(http_server, joins_chunks) {
  start();
  auto client = connect();
  const auto x = client.exchange(
    "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
    "3\r\nabc\r\n10;x=y\r\n0123456789abcdef\r\n0\r\nTrailer: x\r\nY: z\r\n"
    "\r\n");
  ASSERT_TRUE(x);
  EXPECT_EQ(x->body, "abc0123456789abcdef");
  EXPECT_EQ(client.exchange(get("/q/next"))->body, "next");
}

TEST_F(http_server, unpacks_gzip_bodies) {
  start();
  auto client = connect();
  const std::string plain(100'000, 'a');
  const auto x =
    client.exchange(post("/echo", gzip(plain), "Content-Encoding: gzip\r\n"));
  EXPECT_EQ(x->body, plain);
  EXPECT_EQ(client
              .exchange(post("/echo", gzip("of ") + gzip("") + gzip("members"),
                             "Content-Encoding: gzip\r\n"))
              ->body,
            "of members");
  EXPECT_EQ(client
              .exchange(post("/echo", gzip(plain) + "x",
                             "Content-Encoding: gzip\r\n"))
              ->status,
            400u);
  EXPECT_EQ(
    client.exchange(post("/echo", "no gzip", "Content-Encoding: gzip\r\n"))
      ->status,
    400u);
  EXPECT_EQ(
    client.exchange(post("/echo", "x", "Content-Encoding: br\r\n"))->status,
    415u);
}

TEST_F(http_server, unpacks_bodies_once_whatever_their_headers_list) {
  start();
  auto client = connect();
  const auto ask = [&](const std::string& body, const std::string& head) {
    const auto x = client.exchange(post("/echo", body, head));
    return x->status == 200u ? x->body : std::to_string(x->status);
  };
  for (const auto* said : {"gzip, identity", "identity,gzip", ",x-gzip ,"})
    EXPECT_EQ(ask(gzip("abc"), std::string{"Content-Encoding: "} + said
                                 + "\r\n"),
              "abc")
      << said;
  EXPECT_EQ(ask("abc", "Content-Encoding: identity, identity\r\n"), "abc");
  EXPECT_EQ(ask("abc", "Content-Encoding:\r\n"), "abc");
  const std::string gzip_line = "Content-Encoding: gzip\r\n";
  EXPECT_EQ(ask(gzip("abc"), "Content-Encoding: identity\r\n" + gzip_line),
            "abc");
  EXPECT_EQ(ask(gzip(gzip("abc")), gzip_line + gzip_line), "415");
  EXPECT_EQ(ask(gzip(gzip("abc")), "Content-Encoding: gzip, gzip\r\n"), "415");
  EXPECT_EQ(ask("x", "Content-Encoding: identity, br\r\n"), "415");
}

TEST_F(http_server, long_work_on_a_body_holds_up_nobody_else) {
  start({.io_threads = 1});
  const std::string body(200'000, 'x');
  auto long_one = connect();
  long_one.send(post("/laborious", body));
  auto packed = connect();
  packed.send(post("/laborious", gzip(body), "Content-Encoding: gzip\r\n"));
  auto other = connect();
  EXPECT_EQ(other.exchange(get("/hello"))->status, 200u);
  EXPECT_EQ(other.exchange(post("/laborious", "short"))->body, "short");
  EXPECT_FALSE(long_one.readable_within(0));
  done_.set_value();
  EXPECT_EQ(long_one.receive()->body, body);
  EXPECT_EQ(packed.receive()->body, body);
}

/// Answers come at the end of a look at the sockets.
class http_rounds : public server_fixture {
protected:
  ~http_rounds() override {
    server_.reset(); // before what it answers from
  }

  void add_routes(http::router& routes) override {
    http::route_options laborious;
    laborious.laborious = true;
    laborious.long_body_bytes = 1'000;
    routes.add(
      "POST", "/together",
      [this](http::request&&, http::responder to) {
        const std::lock_guard lock{guard_};
        left_.push_back(std::move(to));
      },
      laborious);
  }

  void answer_all() {
    std::vector<http::responder> all;
    {
      const std::lock_guard lock{guard_};
      all.swap(left_);
    }
    for (auto& to : all)
      to.send(http::response::text(200, "together"));
  }

private:
  std::mutex guard_;
  std::vector<http::responder> left_;
};

TEST_F(http_rounds, come_after_long_work_too) {
  start({.io_threads = 1, .after_round = [this] { answer_all(); }});
  auto client = connect();
  for (const auto bytes : {1'000, 1'001, 100'000}) {
    client.send(post("/together", std::string(bytes, 'x')));
    EXPECT_EQ(client.receive()->body, "together");
  }
}

TEST_F(http_server, row_24_an_urlencoded_body_has_a_limit_of_its_own) {
  start();
  const std::string type =
    "Content-Type: application/x-www-form-urlencoded; charset=UTF-8\r\n";
  const std::string fields(101, 'a');
  auto honest = connect();
  EXPECT_EQ(honest.exchange(post("/laborious", fields, type))->status, 413u);
  auto packed = connect();
  EXPECT_EQ(packed
              .exchange(post("/laborious", gzip(fields),
                             type + "Content-Encoding: gzip\r\n"))
              ->status,
            413u);
  auto short_one = connect();
  EXPECT_EQ(
    short_one.exchange(post("/laborious", fields.substr(1), type))->status,
    200u);
  EXPECT_EQ(short_one.exchange(post("/laborious", fields))->status, 200u);
}

TEST_F(http_server, row_24_stops_unpacking_at_the_limit_of_the_body) {
  start({.body_bytes_max = 100'000});
  auto client = connect();
  const auto bomb = gzip(std::string(10'000'000, '\0'));
  ASSERT_LT(bomb.size(), 100'000u);
  EXPECT_EQ(
    client.exchange(post("/echo", bomb, "Content-Encoding: gzip\r\n"))->status,
    413u);
}

TEST_F(http_server, carries_a_body_of_many_reads) {
  start({.body_bytes_max = 20'000'000});
  std::string body;
  for (int i = 0; body.size() < 8'000'000; ++i)
    body += std::to_string(i);
  auto client = connect();
  EXPECT_TRUE(client.exchange(post("/echo", body))->body == body);
}

TEST_F(http_server, answers_from_other_threads_in_any_order) {
  start();
  auto first = connect();
  auto second = connect();
  first.send(get("/held"));
  auto first_answer = held_.take();
  second.send(get("/held"));
  auto second_answer = held_.take();
  EXPECT_TRUE(second_answer.send(http::response::text(201, "second")));
  EXPECT_EQ(second.receive()->body, "second");
  EXPECT_TRUE(first_answer.send(http::response::text(201, "first")));
  EXPECT_EQ(first.receive()->body, "first");
}

TEST_F(http_server, answers_500_for_a_handler_that_forgets) {
  start();
  EXPECT_EQ(connect().exchange(get("/dropped"))->status, 500u);
}

TEST_F(http_server, answers_504_and_ignores_what_comes_too_late) {
  start({.answer_limit = 1s});
  auto client = connect();
  client.send(get("/held"));
  auto late = held_.take();
  EXPECT_EQ(client.receive()->status, 504u);
  EXPECT_FALSE(late.send(http::response::text(200, "late")));
  EXPECT_EQ(client.exchange(get("/q/again"))->body, "again");
}

TEST_F(http_server, lets_the_body_come_when_the_gate_is_passed) {
  start();
  auto client = connect();
  EXPECT_EQ(client.exchange(post("/gated", "body"))->body, "body");
  EXPECT_EQ(client.exchange(post("/gated", ""))->body, "");
  client.send("POST /gated HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n"
              "Content-Length: 4\r\n\r\n");
  client.send("late");
  EXPECT_EQ(client.receive()->body, "late");
}

TEST_F(http_server, refuses_at_the_gate_before_the_body) {
  start();
  auto client = connect();
  client.send("POST /gated?refuse HTTP/1.1\r\nHost: a\r\n"
              "Content-Length: 900\r\n\r\n");
  EXPECT_EQ(client.receive()->status, 429u);
  EXPECT_TRUE(client.closed());
}

TEST_F(http_server, lets_a_client_that_sends_on_read_the_early_answer) {
  start();
  for (int i = 0; i < 20; ++i) {
    auto client = connect();
    const std::string body(4'000'000, 'x');
    client.send(post("/gated", body).substr(0, 100));
    client.send(body); // far more than the buffers of a socket hold
    const auto x = client.receive();
    ASSERT_TRUE(x) << i;
    EXPECT_EQ(x->status, 413u);
  }
}

TEST_F(http_server, ends_suspended_requests_when_it_stops) {
  start();
  auto client = connect();
  client.send(get("/held"));
  auto never = held_.take();
  server_->stop(20ms);
  EXPECT_EQ(client.receive()->status, 503u);
  EXPECT_FALSE(never.send({}));
}

TEST_F(http_server, waits_for_answers_when_it_stops) {
  start();
  auto client = connect();
  client.send(get("/held"));
  auto answer = std::make_shared<http::responder>(held_.take());
  std::promise<void> stopping;
  later([&] {
    stopping.set_value();
    server_->stop(20s);
  });
  stopping.get_future().wait();
  answer->send(http::response::text(200, "in time"));
  EXPECT_EQ(client.receive()->body, "in time");
}

TEST_F(http_server, serves_many_connections_that_wait_at_once) {
  start();
  constexpr int count = 300;
  std::vector<std::unique_ptr<raw_client>> clients;
  for (int i = 0; i < count; ++i) {
    clients.push_back(std::make_unique<raw_client>(server_->port()));
    clients.back()->send(get("/held"));
  }
  for (int i = 0; i < count; ++i)
    held_.take().send(http::response::text(200, "x"));
  for (auto& x : clients)
    EXPECT_EQ(x->receive()->status, 200u);
  EXPECT_EQ(server_->numbers().requests, static_cast<unsigned>(count));
}

TEST_F(http_server, may_be_gone_before_its_answers) {
  start();
  auto client = connect();
  client.send(get("/held"));
  auto late = held_.take();
  server_.reset();
  auto answer = http::response::text(200, "too late");
  answer.stream = std::make_shared<http::body_stream>();
  const auto stream = answer.stream;
  EXPECT_FALSE(late.send(std::move(answer)));
  EXPECT_TRUE(stream->gone()) << "or it would be written for ever";
}
