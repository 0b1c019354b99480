// What the server does for clients that are broken or hostile. Row numbers are
// those of the table of bad inputs.

#include "tests/adapters/doors/http/request_fixture.hpp"

#include <sys/resource.h>

using namespace depositd;
using namespace depositd::testing;
using namespace std::chrono_literals;

namespace {

class http_bad_input : public request_fixture {};

} // namespace

TEST_F(http_bad_input, row_15_refuses_an_honest_length_before_the_body) {
  start({.body_bytes_max = 1000});
  EXPECT_EQ(status_of(head("Content-Length: 1001\r\n")), 413u);
  EXPECT_EQ(status_of(head("Content-Length: 1001\r\nExpect: "
                           "100-continue\r\n")),
            413u);
  EXPECT_EQ(status_of(head("Content-Length: 99999999999999999999\r\n")), 413u);
  EXPECT_TRUE(alive());
}

TEST_F(http_bad_input, refuses_chunks_as_soon_as_they_are_too_much) {
  start({.body_bytes_max = 1000});
  auto client = connect();
  client.send(head("Transfer-Encoding: chunked\r\n"));
  for (int i = 0; i < 3; ++i)
    client.send("190\r\n" + std::string(400, 'x') + "\r\n");
  const auto x = client.receive();
  ASSERT_TRUE(x);
  EXPECT_EQ(x->status, 413u);
  EXPECT_TRUE(client.closed());
  EXPECT_TRUE(alive());
}

TEST_F(http_bad_input, takes_chunks_up_to_the_last_byte_that_may_be) {
  start({.body_bytes_max = 1000});
  const auto chunks = head("Transfer-Encoding: chunked\r\n");
  const std::string most(1000, 'x');
  const std::string end = "\r\n0\r\n\r\n";
  EXPECT_EQ(status_of(chunks + "3e8\r\n" + most + end), 200u);
  EXPECT_EQ(status_of(chunks + "3e9\r\n" + most + "x" + end), 413u);
}

TEST_F(http_bad_input, row_16_gives_up_on_a_body_that_stays_short) {
  start({.receive_limit = 1s});
  auto client = connect();
  client.send(head("Content-Length: 10\r\n") + "half");
  EXPECT_EQ(client.receive()->status, 408u);
  EXPECT_TRUE(client.closed());
  EXPECT_TRUE(alive());
}

TEST_F(http_bad_input, row_17_refuses_lengths_that_make_no_sense) {
  start();
  EXPECT_EQ(status_of(head("Content-Length: -5\r\n") + "hello"), 400u);
  EXPECT_EQ(status_of(head("Content-Length: 5x\r\n") + "hello"), 400u);
  EXPECT_EQ(status_of(head("Content-Length: \r\n") + "hello"), 400u);
  auto two = connect();
  EXPECT_EQ(
    two.exchange(head("Content-Length: 5\r\nContent-Length: 6\r\n") + "hello!")
      ->status,
    400u);
  EXPECT_TRUE(two.closed());
  auto more = connect();
  EXPECT_EQ(
    more.exchange(head("Content-Length: 2\r\n") + "hello\r\n\r\n")->body, "he");
  const auto rest = more.receive();
  EXPECT_TRUE(!rest || rest->status == 501u);
  EXPECT_TRUE(more.closed());
  EXPECT_TRUE(alive());
}

TEST_F(http_bad_input, row_17_says_so_once) {
  start();
  const std::vector<std::pair<std::string, unsigned>> lengths{
    {"-5", 400u},
    {"+5", 400u},
    {"5, 5", 400u},
    {"0x5", 400u},
    {"5x", 400u},
    {"99999999999999999999", 413u},
    {"18446744073709551615", 413u}};
  for (const auto& [length, status] : lengths) {
    auto client = connect();
    const auto x =
      client.exchange(head("Content-Length: " + length + "\r\n") + "hello");
    ASSERT_TRUE(x) << length;
    EXPECT_EQ(x->status, status) << length;
    EXPECT_EQ(x->body.find("HTTP/1.1"), std::string::npos) << x->body;
    EXPECT_TRUE(client.at_end()) << length;
  }
  EXPECT_TRUE(alive());
}

TEST_F(http_bad_input, row_17_says_so_to_who_sent_it) {
  start();
  const auto good = head("Content-Length: 2\r\n");
  const auto most = good.size() - 4; // in the middle of its head
  auto before = connect();
  before.send(good.substr(0, most));
  auto bad = connect();
  EXPECT_EQ(bad.exchange(head("Content-Length: x\r\n"))->status, 400u);
  auto after = connect();
  after.send(good.substr(0, most));
  auto again = connect();
  EXPECT_EQ(again.exchange(head("Content-Length: x\r\n"))->status, 400u);
  for (auto* x : {&before, &after})
    EXPECT_EQ(x->exchange(good.substr(most) + "hi")->body, "hi");
}

TEST_F(http_bad_input, row_18_refuses_length_with_chunks) {
  start();
  EXPECT_EQ(status_of(head("Content-Length: 3\r\n"
                           "Transfer-Encoding: chunked\r\n")
                      + "0\r\n\r\n"),
            400u);
  EXPECT_EQ(status_of(head("Transfer-Encoding: chunked\r\n"
                           "Content-Length: 3\r\n")
                      + "0\r\n\r\n"),
            400u);
  EXPECT_EQ(
    status_of(head("Transfer-Encoding: gzip, chunked\r\n") + "0\r\n\r\n"),
    400u);
}

TEST_F(http_bad_input, row_18_refuses_a_length_twice_even_if_it_is_the_same) {
  start();
  auto client = connect();
  EXPECT_EQ(client
              .exchange(head("Content-Length: 2\r\nContent-Length: 2\r\n")
                        + "hi")
              ->status,
            400u);
  EXPECT_TRUE(client.closed());
}

TEST_F(http_bad_input, row_18_blanks_around_the_transfer_encoding_are_none) {
  start({.receive_limit = 5s});
  for (const auto* value : {"  Chunked", "\tchunked", "chunked "}) {
    auto client = connect();
    const auto x =
      client.exchange(head("Transfer-Encoding:" + std::string{value} + "\r\n")
                      + "2\r\nhi\r\n0\r\n\r\n");
    ASSERT_TRUE(x) << value;
    EXPECT_EQ(x->body, "hi") << value;
  }
  for (const auto* value :
       {"Chunked ,", "chunked, chunked", "chunkedx", "chunked\t"})
    EXPECT_EQ(
      status_of(head("Transfer-Encoding: " + std::string{value} + "\r\n")
                + "0\r\n\r\n"),
      400u)
      << value;
}

TEST_F(http_bad_input, row_18_refuses_chunks_with_a_line_feed_only) {
  start();
  const auto chunked = head("Transfer-Encoding: chunked\r\n");
  const auto hello = "GET /hello HTTP/1.1\r\nHost: a\r\n\r\n";
  for (const auto* body :
       {"2\nhi\r\n0\r\n\r\n", "2\r\nhi\n1\r\n!\r\n0\r\n\r\n",
        "2;a=b\nhi\r\n0\r\n\r\n", "2\r\nhi\n1;a=b\r\n!\r\n0\r\n\r\n"}) {
    auto client = connect();
    const auto x = client.exchange(chunked + body + hello);
    ASSERT_TRUE(x) << body;
    EXPECT_EQ(x->status, 400u) << body;
    EXPECT_FALSE(client.receive()) << body;
  }
  EXPECT_EQ(status_of(chunked + "2;a=b\r\nhi\r\n1\r\n\n\r\n0\r\n\r\n"), 200u);
}

TEST_F(http_bad_input, row_18_refuses_trailers_with_a_line_feed_only) {
  start();
  const auto chunked = head("Transfer-Encoding: chunked\r\n");
  const auto hello = "GET /hello HTTP/1.1\r\nHost: a\r\n\r\n";
  for (const auto* end : {"0\r\nX: y\nZ: y\r\n\r\n", "0\r\nX: y\n\n",
                          "0\r\nX: y\n\r\n", "0\r\nX: y\r\n\n"}) {
    auto client = connect();
    const auto x = client.exchange(chunked + "2\r\nhi\r\n" + end + hello);
    ASSERT_TRUE(x) << end;
    EXPECT_EQ(x->status, 400u) << end;
    EXPECT_TRUE(client.closed()) << end;
  }
}

// Another reader may see more of such a body.
TEST_F(http_bad_input, row_18_what_comes_behind_lines_that_are_none_is_lost) {
  start();
  const auto hello = "GET /hello HTTP/1.1\r\nHost: a\r\n\r\n";
  for (const auto* path : {"/echo", "/later"})
    for (const auto* end :
         {"0\n\n", "0\r\n\n", "0;\n\r\n", "0\r\n\rx", "00\r\nx\r\n"}) {
      auto client = connect();
      const auto x = client.exchange(
        "POST " + std::string{path}
        + " HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi"
          "\r\n"
        + end + hello);
      ASSERT_TRUE(x) << path << end;
      EXPECT_EQ(x->status, 400u) << path << end;
      EXPECT_FALSE(client.receive()) << path << end;
    }
}

TEST_F(http_bad_input, what_comes_behind_chunks_is_a_request) {
  start();
  const auto hello = "GET /hello HTTP/1.1\r\nHost: a\r\n\r\n";
  for (const auto* path : {"/echo", "/later"}) {
    auto client = connect();
    const auto x = client.exchange(
      "POST " + std::string{path}
      + " HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi"
        "\r\n0\r\n\r\n"
      + hello);
    ASSERT_TRUE(x) << path;
    EXPECT_EQ(x->body, "hi") << path;
    const auto more = client.receive();
    ASSERT_TRUE(more) << path;
    EXPECT_EQ(more->body, "GET /hello") << path;
  }
}

TEST_F(http_bad_input, accepts_chunks_however_they_arrive) {
  start();
  const auto whole = head("Transfer-Encoding: chunked\r\n")
                     + "4;x=y\r\na\n1\n\r\n3\r\n\n\n2\r\n0\r\n\r\n";
  for (const std::size_t step : {1, 2, 3, 5, 7, 11, 1000}) {
    auto client = connect();
    for (std::size_t i = 0; i < whole.size(); i += step)
      client.send(std::string_view{whole}.substr(i, step));
    const auto x = client.receive();
    ASSERT_TRUE(x) << step;
    EXPECT_EQ(x->body, "a\n1\n\n\n2") << step;
  }
}

TEST_F(http_bad_input, after_an_answer_to_chunks_the_connection_goes_on) {
  start();
  auto client = connect();
  for (int i = 0; i < 20; ++i) {
    const auto x = client.exchange(head("Transfer-Encoding: chunked\r\n")
                                   + "2\r\nhi\r\n0\r\n\r\n");
    ASSERT_TRUE(x);
    EXPECT_EQ(x->body, "hi");
  }
}

TEST_F(http_bad_input, row_18_refuses_folded_headers) {
  start();
  EXPECT_EQ(status_of("GET /hello HTTP/1.1\r\nHost: a\r\nX: one\r\n two\r\n"
                      "Y: z\r\n\r\n"),
            400u);
  EXPECT_EQ(status_of("GET /hello HTTP/1.1\r\nHost: a\r\nX: one\r\n two\r\n"
                      "\r\n"),
            400u);
}

TEST_F(http_bad_input, row_18_refuses_lines_that_end_with_line_feed_only) {
  start();
  EXPECT_EQ(status_of("GET /hello HTTP/1.1\nHost: a\n\n"), 400u);
  EXPECT_EQ(status_of("GET /hello HTTP/1.1\r\nHost: a\nX: y\r\n\r\n"), 400u);
  EXPECT_EQ(status_of("GET /hello HTTP/1.1\r\nHost: a\r\n\n"), 400u);
}

TEST_F(http_bad_input, row_18_a_name_that_is_no_token_ends_the_connection) {
  start();
  for (const auto* line :
       {"Content-Length : 5", "Transfer-Encoding : chunked", "X\tY: z", " X: y",
        "X(: y", "X: 1\rTransfer-Encoding: chunked", "X: a\x01z",
        "X: a\x7fz"}) {
    auto client = connect();
    const auto x =
      client.exchange(head(std::string{line} + "\r\n")
                      + "12345GET /hello HTTP/1.1\r\nHost: a\r\n\r\n");
    ASSERT_TRUE(x) << line;
    EXPECT_EQ(x->status, 400u) << line;
    EXPECT_EQ(x->header("connection"), "close") << line;
    EXPECT_FALSE(client.receive()) << line;
  }
  EXPECT_EQ(status_of("GET /hello HTTP/1.1\r\nHost: a\r\n"
                      "X_!#$%&'*+-.^`|~1: a\tb \xc3\xa9\r\n\r\n"),
            200u);
}

TEST_F(http_bad_input, row_18_refuses_chunks_of_a_client_that_knows_none) {
  start();
  auto client = connect();
  EXPECT_EQ(client
              .exchange("POST /echo HTTP/1.0\r\nTransfer-Encoding: chunked"
                        "\r\nConnection: keep-alive\r\n\r\n0\r\n\r\n")
              ->status,
            400u);
  EXPECT_TRUE(client.closed());
}

TEST_F(http_bad_input, refuses_nul_in_headers) {
  start();
  using namespace std::string_literals;
  EXPECT_EQ(status_of("GET /hello HTTP/1.1\r\nHost: a\r\nX: a\0b\r\n\r\n"s),
            400u);
}

TEST_F(http_bad_input, accepts_clean_lines_however_they_arrive) {
  start();
  auto client = connect();
  std::string more;
  for (int i = 0; i < 60; ++i)
    more += "X-" + std::to_string(i) + ":  " + std::string(200, 'v') + " \r\n";
  const auto whole =
    "GET /hello HTTP/1.1\r\nHost: a\r\nEmpty:\r\n" + more + "\r\n";
  for (std::size_t i = 0; i < whole.size(); i += 777)
    client.send(std::string_view{whole}.substr(i, 777));
  EXPECT_EQ(client.receive()->status, 200u);
  EXPECT_EQ(client.exchange(whole)->status, 200u);
}

TEST_F(http_bad_input, row_19_refuses_the_size_of_an_absurd_chunk) {
  start();
  const auto chunked = head("Transfer-Encoding: chunked\r\n");
  EXPECT_EQ(status_of(chunked + "ffffffffffffffff\r\nabc"), 400u);
  EXPECT_EQ(status_of(chunked + "xyz\r\nabc"), 400u);
  EXPECT_EQ(status_of(chunked + "-1\r\nabc"), 400u);
  EXPECT_EQ(status_of(chunked + "3\r\nabcdef"), 400u);
  EXPECT_EQ(status_of(chunked + "fffffffffffffffff\r\nabc"), 400u);
  EXPECT_TRUE(alive());
}

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
