// What clients may take of the server, broken or hostile: time, headers,
// connections, memory. Row numbers are those of the table of bad inputs.

#include "tests/adapters/doors/http/request_fixture.hpp"

#include <sys/resource.h>

using namespace depositd;
using namespace depositd::testing;
using namespace std::chrono_literals;

TEST_F(http_bad_input, row_20_ends_slow_clients_at_the_deadline) {
  start({.idle_limit = 1s, .receive_limit = 1s});
  auto slow_head = connect();
  slow_head.send("GET /hel");
  auto slow_body = connect();
  slow_body.send(head("Content-Length: 100000\r\n"));
  auto silent = connect();
  // Every byte comes long before the limit, the whole never does.
  for (int i = 0; i < 1000 && !slow_head.closed_within(10); ++i) {
    slow_head.send("x");
    slow_body.send("x");
  }
  EXPECT_TRUE(slow_head.closed());
  EXPECT_TRUE(slow_body.closed());
  EXPECT_TRUE(silent.closed());
  EXPECT_TRUE(alive());
  EXPECT_GE(server_->numbers().expired, 3u);
}

TEST_F(http_bad_input, row_21_limits_headers) {
  start();
  std::string many;
  for (int i = 0; i < 100'000; ++i)
    many += "X: y\r\n";
  EXPECT_EQ(status_of("GET /hello HTTP/1.1\r\nHost: a\r\n" + many + "\r\n"),
            431u);
  EXPECT_EQ(status_of("GET /hello HTTP/1.1\r\nHost: a\r\nX: "
                      + std::string(1'000'000, 'x') + "\r\n\r\n"),
            431u);
  EXPECT_EQ(status_of("GET /hello HTTP/1.1\r\nHost: a\r\nX: "
                      + std::string(20'000, 'x') + "\r\n\r\n"),
            431u);
  std::string others; // than Host
  for (int i = 0; i < 99; ++i)
    others += "X: y\r\n";
  EXPECT_EQ(status_of("GET /hello HTTP/1.1\r\nHost: a\r\n" + others + "\r\n"),
            200u);
  others += "X: y\r\n";
  EXPECT_EQ(status_of("GET /hello HTTP/1.1\r\nHost: a\r\n" + others + "\r\n"),
            431u);
  EXPECT_EQ(status_of("GET /" + std::string(1'000'000, 'x')
                      + " HTTP/1.1\r\nHost: a\r\n\r\n"),
            414u);
  EXPECT_TRUE(alive());
}

TEST_F(http_bad_input, row_21_limits_parameters) {
  start();
  const auto asks = [](int count) {
    std::string out = "GET /hello?a=b";
    for (int i = 1; i < count; ++i)
      out += "&a=b";
    return out + " HTTP/1.1\r\nHost: a\r\n\r\n";
  };
  EXPECT_EQ(status_of(asks(200)), 200u);
  for (const auto count : {201, 400, 480, 600, 3'000}) {
    auto client = connect();
    const auto x = client.exchange(asks(count));
    ASSERT_TRUE(x) << count;
    EXPECT_EQ(x->status, 414u) << count;
    EXPECT_TRUE(client.at_end()) << count;
  }
  EXPECT_EQ(status_of("GET /hello?" + std::string(17'000, 'x')
                      + " HTTP/1.1\r\nHost: a\r\n\r\n"),
            414u);
  EXPECT_TRUE(alive());
}

TEST_F(http_bad_input, row_21_says_once_that_there_are_too_many_cookies) {
  start();
  for (const auto count : {400, 500, 600, 1'500}) {
    std::string cookies = "a=b";
    for (int i = 1; i < count; ++i)
      cookies += "; a=b";
    auto client = connect();
    const auto x = client.exchange("GET /hello HTTP/1.1\r\nHost: a\r\nCookie: "
                                   + cookies + "\r\n\r\n");
    ASSERT_TRUE(x) << count;
    if (x->status == 200)
      continue; // there was memory for them
    EXPECT_EQ(x->status, 431u) << count;
    EXPECT_EQ(x->body.find("HTTP/1.1"), std::string::npos) << x->body;
    EXPECT_TRUE(client.at_end()) << count;
  }
  EXPECT_TRUE(alive());
}

TEST_F(http_bad_input, refuses_request_lines_that_are_none) {
  start();
  EXPECT_EQ(status_of("GET /hello HTTP/1.1\r\n\r\n"), 400u);
  EXPECT_EQ(status_of("GET /hel lo HTTP/1.1\r\nHost: a\r\n\r\n"), 400u);
  EXPECT_GE(status_of("GET /hello HTTP/9.9\r\nHost: a\r\n\r\n"), 400u);
  EXPECT_EQ(status_of("GET /hello HTTP/1.1\r\nHost: a\r\nnonsense\r\n\r\n"),
            400u);
  auto binary = connect();
  binary.send(std::string_view{"\x16\x03\x01\x02\x00\x01\xff\n\n\n\n", 11});
  binary.end_sending();
  EXPECT_TRUE(binary.closed());
  EXPECT_TRUE(alive());
}

TEST_F(http_bad_input, what_cannot_be_read_is_refused_as_the_door_says_it) {
  http::server_options options;
  options.receive_limit = 1s;
  options.refuse = [](const http::request& of, unsigned status,
                      const std::string& text) {
    return http::response::of(status, "application/json",
                              '"' + of.path + ' ' + text + '"');
  };
  start(options);
  const auto said = [&](const std::string& bytes) {
    auto client = connect();
    const auto x = client.exchange(bytes);
    const bool ends = client.at_end();
    return x && ends ? std::to_string(x->status) + ' ' + x->body : "nothing";
  };
  EXPECT_EQ(said("GET /hello HTTP/1.1\r\nHost: a\r\nX: "
                 + std::string(20'000, 'x') + "\r\n\r\n"),
            "431 \"/hello The request's headers are too large.\"");
  EXPECT_EQ(said("GET /hello HTTP/1.1\r\nHost: a\r\n b\r\n\r\n"),
            "400 \"/hello The request's lines must end with CR LF.\"");
  EXPECT_EQ(said("GET /hello HTTP/2.7\r\nHost: a\r\n\r\n"),
            "505 \"/hello The version of HTTP is not known.\"");
  EXPECT_EQ(said(head("Content-Length: x\r\n")),
            "400 \"/echo The length of the body is not a number.\"");
  EXPECT_EQ(said(head("Transfer-Encoding: chunked\r\n") + "x\r\n"),
            "400 \"/echo The size of a chunk makes no sense.\"");
  EXPECT_EQ(said(head("Content-Length: 10\r\n") + "half"),
            "408 \"/echo The request did not arrive within its time.\"");
}

TEST_F(http_bad_input, answers_503_above_the_connection_limit) {
  start({.connections_max = 4});
  std::vector<std::unique_ptr<raw_client>> served;
  for (int i = 0; i < 4; ++i) {
    served.push_back(std::make_unique<raw_client>(server_->port()));
    EXPECT_EQ(
      served.back()->exchange("GET /hello HTTP/1.1\r\nHost: a\r\n\r\n")->status,
      200u);
  }
  auto above = connect();
  const auto x = above.exchange("GET /hello HTTP/1.1\r\nHost: a\r\n\r\n");
  ASSERT_TRUE(x);
  EXPECT_EQ(x->status, 503u);
  EXPECT_EQ(x->header("retry-after"), "1");
  EXPECT_TRUE(above.closed());
  for (auto& old : served)
    EXPECT_EQ(old->exchange("GET /hello HTTP/1.1\r\nHost: a\r\n\r\n")->status,
              200u);
}

TEST_F(http_bad_input, hangs_up_on_whom_has_too_many_from_one_address) {
  start({.io_threads = 1, .connections_per_address_max = 2});
  const std::string hello = "GET /hello HTTP/1.1\r\nHost: a\r\n\r\n";
  auto first = std::make_unique<raw_client>(server_->port());
  auto second = connect();
  EXPECT_EQ(first->exchange(hello)->status, 200u);
  EXPECT_EQ(second.exchange(hello)->status, 200u);
  auto third = connect();
  EXPECT_FALSE(third.exchange(hello));
  raw_client neighbour{server_->port(), 20, INADDR_LOOPBACK + 1};
  const auto theirs = neighbour.exchange(hello);
  ASSERT_TRUE(theirs);
  EXPECT_EQ(theirs->status, 200u);
  first.reset();
  // Its place is free when the server has seen that it went.
  for (int i = 0; i < 1'000; ++i)
    if (connect().exchange(hello))
      return;
  FAIL() << "nobody gets the place";
}

TEST_F(http_bad_input, closes_the_oldest_silent_one_when_there_are_too_many) {
  // Each loop counts its own; the kernel gives connections to any of them.
  start({.io_threads = 1, .connections_max = 8});
  std::vector<std::unique_ptr<raw_client>> silent;
  for (int i = 0; i < 20; ++i) {
    silent.push_back(std::make_unique<raw_client>(server_->port()));
    silent.back()->send("GET /hel"); // and nothing more
  }
  EXPECT_TRUE(silent.front()->closed());
  auto honest = connect();
  const auto x = honest.exchange("GET /hello HTTP/1.1\r\nHost: a\r\n\r\n");
  ASSERT_TRUE(x);
  EXPECT_EQ(x->status, 200u);
}

TEST_F(http_bad_input, holds_no_more_body_bytes_than_allowed) {
  start({.body_bytes_max = 1'000'000, .bodies_bytes_max = 1'000'000});
  auto first = connect();
  first.send(head("Content-Length: 900000\r\n") + std::string(800'000, 'x'));
  auto second = connect();
  second.send(head("Content-Length: 900000\r\n") + std::string(800'000, 'x'));
  // Whichever bytes came last were too much.
  for (int i = 0; i < 1000; ++i)
    if (second.closed_within(10) || first.closed_within(10))
      break;
  EXPECT_GE(server_->numbers().refused, 1u);
  EXPECT_TRUE(alive());
}

TEST_F(http_bad_input, survives_a_client_that_leaves_while_it_waits) {
  start();
  {
    auto client = connect();
    client.send("GET /held HTTP/1.1\r\nHost: a\r\n\r\n");
    held_.take().send(http::response::text(200, std::string(100'000, 'x')));
  }
  {
    auto client = connect();
    client.send(head("Content-Length: 1000\r\n") + "half");
  }
  EXPECT_TRUE(alive());
}

TEST_F(http_bad_input, row_59_leaves_files_to_the_rest_of_the_program) {
  rlimit before{};
  getrlimit(RLIMIT_NOFILE, &before);
  const rlimit low{64, before.rlim_max};
  setrlimit(RLIMIT_NOFILE, &low);
  start();
  setrlimit(RLIMIT_NOFILE, &before);
  std::vector<std::unique_ptr<raw_client>> clients;
  unsigned served = 0;
  unsigned refused = 0;
  for (int i = 0; i < 36 && refused == 0; ++i) {
    clients.push_back(std::make_unique<raw_client>(server_->port()));
    const auto x =
      clients.back()->exchange("GET /hello HTTP/1.1\r\nHost: a\r\n\r\n");
    ASSERT_TRUE(x);
    served += x->status == 200;
    refused += x->status == 503;
  }
  EXPECT_GE(served, 4u);
  EXPECT_EQ(refused, 1u);
  EXPECT_EQ(
    clients.front()->exchange("GET /hello HTTP/1.1\r\nHost: a\r\n\r\n")->status,
    200u);
}
