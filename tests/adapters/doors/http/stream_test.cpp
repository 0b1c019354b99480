// Bodies that go on.

#include "adapters/doors/http/body_stream.hpp"
#include "tests/adapters/doors/http/server_fixture.hpp"

#include <future>
#include <memory>
#include <string>

using namespace depositd;
using namespace depositd::testing;
using namespace std::chrono_literals;

namespace {

using written = http::body_stream::written;

std::string taken(http::body_stream& from, std::size_t bytes_max = 100) {
  std::string out(bytes_max, '\0');
  const auto size = from.take(out.data(), out.size());
  out.resize(size.value_or(0));
  return size ? out : "the end";
}

constexpr const char* stream_request =
  "GET /stream HTTP/1.1\r\nHost: a\r\n\r\n";

class http_stream : public server_fixture {
protected:
  ~http_stream() override {
    server_.reset(); // it tells who is gone
  }

  void add_routes(http::router& routes) override {
    routes.add("GET", "/stream", [this](http::request&&, http::responder to) {
      auto out = http::response::of(200, "text/event-stream", "");
      out.stream = body_;
      to.send(std::move(out));
    });
    body_->when_gone([this] { gone_.set_value(); });
  }

  bool is_gone() {
    return gone_.get_future().wait_for(20s) == std::future_status::ready;
  }

  std::shared_ptr<http::body_stream> body_ =
    std::make_shared<http::body_stream>();
  std::promise<void> gone_;
};

} // namespace

TEST(body_stream, gives_what_was_written_in_its_order) {
  http::body_stream x{10};
  EXPECT_EQ(x.write("abc"), written::taken);
  EXPECT_EQ(x.write("defg"), written::taken);
  EXPECT_EQ(taken(x, 4), "abcd");
  EXPECT_EQ(taken(x), "efg");
  EXPECT_EQ(taken(x), "");
  x.end();
  EXPECT_EQ(taken(x), "the end");
  EXPECT_EQ(x.write("h"), written::gone);
}

TEST(body_stream, takes_no_more_than_may_be_pending) {
  http::body_stream x{10};
  EXPECT_EQ(x.write("12345678"), written::taken);
  EXPECT_EQ(x.write("901"), written::full);
  EXPECT_EQ(taken(x, 1), "1");
  EXPECT_EQ(x.write("901"), written::taken);
  EXPECT_EQ(taken(x), "2345678901");
  EXPECT_EQ(x.write("more than ten"), written::full);
}

TEST(body_stream, tells_that_its_client_is_gone) {
  http::body_stream x;
  int told = 0;
  x.when_gone([&] { ++told; });
  EXPECT_FALSE(x.gone());
  x.leave();
  x.leave();
  EXPECT_TRUE(x.gone());
  EXPECT_EQ(x.write("a"), written::gone);
  x.when_gone([&] { ++told; });
  EXPECT_EQ(told, 2);
}

TEST_F(http_stream, sends_chunks_as_they_come) {
  start();
  auto client = connect();
  client.send(stream_request);
  body_->write("first");
  const auto head = client.receive();
  ASSERT_TRUE(head);
  EXPECT_EQ(head->status, 200u);
  EXPECT_EQ(head->header("transfer-encoding"), "chunked");
  EXPECT_EQ(client.read(10), "5\r\nfirst\r\n");
  body_->write("next");
  EXPECT_EQ(client.read(9), "4\r\nnext\r\n");
  body_->end();
  EXPECT_EQ(client.read(5), "0\r\n\r\n");
  EXPECT_TRUE(is_gone());
}

TEST_F(http_stream, goes_to_its_end_where_no_chunks_are_known) {
  start();
  auto client = connect();
  client.send("GET /stream HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  const auto head = client.receive();
  ASSERT_TRUE(head);
  EXPECT_EQ(head->header("transfer-encoding"), "");
  body_->write("first");
  EXPECT_EQ(client.read(5), "first");
  body_->end();
  EXPECT_TRUE(client.closed());
}

TEST_F(http_stream, is_left_by_who_wants_its_head) {
  start();
  auto client = connect();
  client.send("HEAD /stream HTTP/1.1\r\nHost: a\r\n\r\n");
  ASSERT_TRUE(client.receive());
  EXPECT_TRUE(is_gone());
  EXPECT_EQ(client.exchange("GET /nothing HTTP/1.1\r\nHost: a\r\n\r\n")->status,
            404u);
}

// Limits of time are for those who have something to take.
TEST_F(http_stream, is_not_cut_for_having_nothing_to_say) {
  http::server_options options;
  options.send_limit = 50ms;
  options.answer_limit = 50ms;
  options.idle_limit = 50ms;
  start(std::move(options));
  auto client = connect();
  client.send(stream_request);
  ASSERT_TRUE(client.receive());
  EXPECT_FALSE(client.readable_within(500));
  body_->write("still");
  EXPECT_EQ(client.read(10), "5\r\nstill\r\n");
}

TEST_F(http_stream, ends_who_does_not_read) {
  http::server_options options;
  options.send_limit = 100ms;
  start(std::move(options));
  auto client = connect();
  client.send(stream_request);
  ASSERT_TRUE(client.receive());
  const auto much = std::make_shared<const std::string>(500'000, 'x');
  const auto until = std::chrono::steady_clock::now() + 20s;
  while (!body_->gone() && std::chrono::steady_clock::now() < until) {
    body_->write(much);
    std::this_thread::yield();
  }
  EXPECT_TRUE(body_->gone());
}

TEST_F(http_stream, notices_a_client_that_has_gone) {
  start();
  {
    auto client = connect();
    client.send(stream_request);
    ASSERT_TRUE(client.receive());
  }
  const auto until = std::chrono::steady_clock::now() + 20s;
  while (!body_->gone() && std::chrono::steady_clock::now() < until) {
    body_->write(":\n\n");
    std::this_thread::yield();
  }
  EXPECT_TRUE(body_->gone());
}

TEST_F(http_stream, ends_with_the_server) {
  start();
  auto client = connect();
  client.send(stream_request);
  ASSERT_TRUE(client.receive());
  const auto begun = std::chrono::steady_clock::now();
  server_->stop(20s);
  EXPECT_LT(std::chrono::steady_clock::now() - begun, 10s);
  EXPECT_EQ(client.read(5), "0\r\n\r\n");
  EXPECT_TRUE(body_->gone());
}
