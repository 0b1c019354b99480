// Whatever clients send, the server holds no more than its budget.

#include "tests/adapters/doors/http/server_fixture.hpp"

#include <zlib.h>

namespace depositd::testing {
namespace {

class http_memory : public server_fixture {
protected:
  void add_routes(http::router& routes) override {
    server_fixture::add_routes(routes);
    http::route_options again;
    again.repeatable = true;
    routes.add(
      "GET", "/long",
      [](http::request&&, http::responder answer) {
        answer.send(http::response::text(200, std::string(30'000'000, 'x')));
      },
      again);
    routes.add("GET", "/sometimes/{what}",
               [](http::request&& x, http::responder answer) {
                 auto out =
                   http::response::text(200, std::string(30'000'000, 'x'));
                 out.repeatable = x.captured[0] == "again";
                 answer.send(std::move(out));
               });
    http::route_options own;
    own.unavailable = [](const http::hindrance& why) {
      return http::response::of(503, "application/json",
                                '"' + why.text + '"');
    };
    routes.add(
      "POST", "/own",
      [](http::request&& x, http::responder answer) {
        answer.send(http::response::text(200, std::move(x.body)));
      },
      own);
  }

  void start_with(std::uint64_t bytes, http::server_options options = {}) {
    budget_ = std::make_shared<memory_budget>(memory_budget::limits{bytes, 0});
    options.body_bytes_max = 4'000'000;
    options.memory = budget_;
    options.io_threads = 1;
    start(std::move(options));
  }

  static std::string post(const std::string& path, const std::string& body,
                          const std::string& more = {}) {
    return "POST " + path + " HTTP/1.1\r\nHost: a\r\n" + more
           + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n"
           + body;
  }

  static std::string packed(const std::string& plain) {
    uLongf size = compressBound(plain.size());
    std::string out(size, '\0');
    compress(reinterpret_cast<Bytef*>(out.data()), &size,
             reinterpret_cast<const Bytef*>(plain.data()), plain.size());
    out.resize(size);
    return out;
  }

  /// Nothing is held any more but for what is asked here, soon: the thread that
  /// has unpacked a body may let go of it after the answer has left.
  bool is_free() {
    const auto until = std::chrono::steady_clock::now() + 60s;
    while (budget_->used() >= 1'000) {
      if (std::chrono::steady_clock::now() > until)
        return false;
      auto client = connect();
      EXPECT_TRUE(
        client.exchange("GET /hello HTTP/1.1\r\nHost: a\r\n\r\n"));
    }
    return true;
  }

  std::shared_ptr<memory_budget> budget_;
};

TEST_F(http_memory, is_free_again_when_everything_is_answered) {
  start_with(10'000'000);
  auto client = connect();
  const auto x = client.exchange(post("/echo", std::string(1'000'000, 'x')));
  ASSERT_TRUE(x);
  EXPECT_EQ(x->status, 200u);
  EXPECT_EQ(x->body.size(), 1'000'000u);
  EXPECT_TRUE(is_free());
}

TEST_F(http_memory, and_connections_are_refused_as_the_route_says_it) {
  start_with(10'000'000, {.connections_max = 4});
  std::vector<std::unique_ptr<raw_client>> served;
  for (int i = 0; i < 4; ++i) {
    served.push_back(std::make_unique<raw_client>(server_->port()));
    EXPECT_EQ(served.back()->exchange(post("/own", "x"))->status, 200u);
  }
  auto above = connect();
  const auto x = above.exchange(post("/own", "x"));
  ASSERT_TRUE(x);
  EXPECT_EQ(x->status, 503u);
  EXPECT_EQ(x->body, "\"There are too many connections.\"");
}

TEST_F(http_memory, is_refused_with_a_reason_when_there_is_none) {
  start_with(10'000'000);
  budget_->hold_anyway(9'000'000);
  auto client = connect();
  const auto x = client.exchange(post("/echo", std::string(900'000, 'x')));
  ASSERT_TRUE(x);
  EXPECT_EQ(x->status, 503u);
  EXPECT_EQ(x->header("retry-after"), "1");
  EXPECT_NE(x->body.find("no memory"), std::string::npos);
  budget_->let_go(9'000'000);
  auto next = connect();
  EXPECT_EQ(next.exchange(post("/echo", std::string(900'000, 'x')))->status,
            200u);
  EXPECT_TRUE(is_free());
}

TEST_F(http_memory, is_refused_as_the_route_says_it) {
  start_with(10'000'000);
  budget_->hold_anyway(9'000'000);
  for (const auto* more : {"", "Content-Encoding: deflate\r\n"}) {
    const std::string plain(2'000'000, 'x');
    auto client = connect();
    const auto x =
      client.exchange(post("/own", *more ? packed(plain) : plain, more));
    ASSERT_TRUE(x);
    EXPECT_EQ(x->status, 503u);
    EXPECT_EQ(x->header("content-type"), "application/json");
    EXPECT_EQ(x->body,
              "\"There is no memory for this request now. Try again later.\"");
  }
  budget_->let_go(9'000'000);
  EXPECT_TRUE(is_free());
}

TEST_F(http_memory, counts_what_a_body_unpacks_to) {
  start_with(1'500'000);
  auto client = connect();
  const auto body = packed(std::string(3'000'000, 'x'));
  ASSERT_LT(body.size(), 10'000u);
  const auto x =
    client.exchange(post("/echo", body, "Content-Encoding: deflate\r\n"));
  ASSERT_TRUE(x);
  EXPECT_EQ(x->status, 503u);
  auto next = connect();
  const auto small =
    next.exchange(post("/echo", packed(std::string(200'000, 'x')),
                       "Content-Encoding: deflate\r\n"));
  ASSERT_TRUE(small);
  EXPECT_EQ(small->status, 200u);
  EXPECT_EQ(small->body.size(), 200'000u);
  EXPECT_TRUE(is_free());
}

TEST_F(http_memory, counts_a_few_bytes_right) {
  start_with(1'000'000);
  for (int i = 0; i < 3; ++i) {
    auto client = connect();
    const auto x = client.exchange(
      post("/echo", packed("abc"), "Content-Encoding: deflate\r\n"));
    ASSERT_TRUE(x);
    EXPECT_EQ(x->body, "abc");
  }
  EXPECT_TRUE(is_free());
}

TEST_F(http_memory, that_is_promised_is_not_held_before_it_comes) {
  start_with(3'000'000);
  std::vector<std::unique_ptr<raw_client>> promising;
  for (int i = 0; i < 50; ++i) {
    promising.push_back(std::make_unique<raw_client>(server_->port()));
    promising.back()->send("POST /echo HTTP/1.1\r\nHost: a\r\n"
                           "Content-Length: 3900000\r\n\r\nxxxx");
  }
  auto client = connect();
  const auto x = client.exchange(post("/echo", std::string(500'000, 'x')));
  ASSERT_TRUE(x);
  EXPECT_EQ(x->status, 200u);
}

TEST_F(http_memory, of_a_body_that_can_never_have_it_is_said_to_be_too_large) {
  start_with(1'000'000);
  auto client = connect();
  const auto x = client.exchange(post("/echo", std::string(900'000, 'x')));
  ASSERT_TRUE(x);
  EXPECT_EQ(x->status, 413u);
}

/// So many bytes of a body of 3,900,000.
std::string begin_of_body(std::size_t bytes) {
  return "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 3900000\r\n\r\n"
         + std::string(bytes, 'x');
}

// However much of it came, and fast.
TEST_F(http_memory, of_a_body_is_free_when_the_rest_stays_away) {
  start_with(10'000'000, {.receive_limit = 100ms});
  auto client = connect();
  client.send(begin_of_body(3'000'000));
  EXPECT_TRUE(is_free());
  EXPECT_TRUE(client.closed());
}

TEST_F(http_memory, of_slow_bodies_is_for_who_has_none) {
  start_with(10'000'000, {.receive_limit = 100ms});
  auto slow = connect();
  slow.send(begin_of_body(3'000'000));
  // Bytes come all the time, as fast as they must.
  while (budget_->used() < 3'900'000 && slow.send("x"))
    continue;
  budget_->hold_anyway(5'700'000);
  const auto until = std::chrono::steady_clock::now() + 60s;
  unsigned status = 0;
  while (status != 200 && std::chrono::steady_clock::now() < until) {
    slow.send("x");
    auto client = connect();
    const auto said = client.exchange(post("/echo", std::string(900'000, 'x')));
    status = said ? said->status : 0;
  }
  EXPECT_EQ(status, 200u);
  EXPECT_TRUE(slow.closed());
  budget_->let_go(5'700'000);
}

TEST_F(http_memory, of_a_body_is_free_when_its_client_has_gone) {
  start_with(100'000'000, {.receive_limit = 600s});
  for (const auto size : {100u, 10'000u, 1'000'000u, 3'000'000u})
    for (int i = 0; i < 5; ++i)
      connect().send(begin_of_body(size));
  EXPECT_TRUE(is_free());
}

TEST_F(http_memory, is_held_until_a_late_answer) {
  start_with(10'000'000);
  auto client = connect();
  client.send("GET /held HTTP/1.1\r\nHost: a\r\n\r\n");
  auto later = held_.take();
  EXPECT_TRUE(later.hold(9'000'000));
  EXPECT_FALSE(later.hold(2'000'000));
  EXPECT_EQ(budget_->used(), 9'000'000u);
  later.send(http::response::text(200, "done"));
  EXPECT_EQ(client.receive()->status, 200u);
  EXPECT_TRUE(is_free());
}

// Whoever does not read is ended, however long the answer is.
TEST_F(http_memory, of_a_long_answer_is_free_when_nobody_takes_it) {
  start_with(200'000'000, {.send_limit = 100ms});
  auto client = connect();
  client.send("GET /held HTTP/1.1\r\nHost: a\r\n\r\n");
  held_.take().send(
    http::response::text(200, std::string(100'000'000, 'x')));
  EXPECT_TRUE(is_free());
}

// What comes in finds memory whatever others leave lying.
TEST_F(http_memory, of_long_answers_is_bounded_where_they_can_be_had_again) {
  start_with(200'000'000);
  auto first = connect();
  first.send("GET /long HTTP/1.1\r\nHost: a\r\n\r\n");
  const auto head = first.read(12);
  EXPECT_EQ(head, "HTTP/1.1 200");
  auto second = connect();
  const auto refused =
    second.exchange("GET /long HTTP/1.1\r\nHost: a\r\n\r\n");
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->status, 503u);
}

TEST_F(http_memory, of_a_repeatable_answer_is_bounded) {
  start_with(200'000'000);
  const auto asks = [](const std::string& what) {
    return "GET /sometimes/" + what + " HTTP/1.1\r\nHost: a\r\n\r\n";
  };
  auto first = connect();
  first.send(asks("again"));
  EXPECT_EQ(first.read(12), "HTTP/1.1 200");
  auto second = connect();
  EXPECT_EQ(second.exchange(asks("again"))->status, 503u);
  auto third = connect();
  EXPECT_EQ(third.exchange(asks("never"))->status, 200u);
}

TEST_F(http_memory, of_an_answer_that_is_put_off_tells_who_gave_it) {
  start_with(200'000'000);
  auto first = connect();
  first.send("GET /long HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_EQ(first.read(12), "HTTP/1.1 200");
  auto second = connect();
  second.send("GET /held HTTP/1.1\r\nHost: a\r\n\r\n");
  auto out = http::response::text(200, std::string(30'000'000, 'x'));
  out.repeatable = true;
  EXPECT_FALSE(held_.take().send(std::move(out)));
  EXPECT_EQ(second.receive()->status, 503u);
}

// Whoever reads a byte now and then keeps it while nobody else wants memory.
TEST_F(http_memory, of_long_answers_is_not_for_who_reads_slowly_for_ever) {
  start_with(200'000'000, {.receive_rate_min = 1, .send_limit = 1s});
  auto slow = connect();
  auto idle = connect();
  slow.send("GET /long HTTP/1.1\r\nHost: a\r\n\r\n");
  std::size_t taken = slow.read(12).size();
  unsigned other = 503;
  while (other == 503 && taken < 20'000'000) {
    taken += slow.read(100'000).size();
    auto client = connect();
    client.send("GET /long HTTP/1.1\r\nHost: a\r\n\r\n");
    const auto head = client.read(12);
    other = head == "HTTP/1.1 200" ? 200 : 503;
    EXPECT_FALSE(idle.readable_within(20)) << "slowly";
  }
  EXPECT_EQ(other, 200u) << taken;
}

} // namespace
} // namespace depositd::testing
