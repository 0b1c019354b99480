// What the server does for clients that are broken or hostile. Row numbers are
// those of the table of bad inputs.

#include "tests/adapters/doors/http/request_fixture.hpp"

using namespace depositd;
using namespace depositd::testing;
using namespace std::chrono_literals;

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
  const auto twice =
    two.exchange(head("Content-Length: 5\r\nContent-Length: 6\r\n") + "hello!");
  ASSERT_TRUE(twice);
  EXPECT_EQ(twice->status, 400u);
  EXPECT_NE(twice->body.find("Two lengths"), std::string::npos) << twice->body;
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
