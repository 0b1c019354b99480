// What is wrong with a request before anything of it is looked at.

#include "tests/adapters/doors/http/request_fixture.hpp"

#include <string>

using namespace depositd;
using namespace depositd::testing;
using namespace std::chrono_literals;

namespace {

class http_request_line : public request_fixture {};

} // namespace

TEST_F(http_request_line, methods_that_nobody_knows_are_501) {
  start();
  for (const auto* method : {"INVENTED", "GETT", "get", "X"}) {
    auto client = connect();
    const auto x =
      client.exchange(std::string{method}
                      + " /hello HTTP/1.1\r\nHost: a\r\n\r\n");
    ASSERT_TRUE(x) << method;
    EXPECT_EQ(x->status, 501u) << method;
    EXPECT_TRUE(client.closed()) << method;
  }
  EXPECT_EQ(status_of("\x16\x03\x01 /hello HTTP/1.1\r\n\r\n"), 400u);
  EXPECT_EQ(status_of("PATCH /hello HTTP/1.1\r\nHost: a\r\n\r\n"), 405u);
  EXPECT_TRUE(alive());
}

TEST_F(http_request_line, other_versions_are_505) {
  start();
  for (const auto* line : {"GET /hello HTTP/2.0", "GET /hello HTTP/0.9",
                           "GET /hello HTTP/1.2", "GET /hello"}) {
    auto client = connect();
    const auto x = client.exchange(std::string{line} + "\r\nHost: a\r\n\r\n");
    ASSERT_TRUE(x) << line;
    EXPECT_EQ(x->status, 505u) << line;
    EXPECT_TRUE(client.closed()) << line;
  }
  EXPECT_TRUE(alive());
}

/// The parser knows them; nobody here speaks them.
TEST_F(http_request_line, other_protocols_are_505) {
  start();
  for (const std::string line :
       {"GET /hello RTSP/1.0", "POST /hello RTSP/1.1", "OPTIONS * RTSP/1.0",
        "SOURCE /hello ICE/1.0", "GET /hello  RTSP/1.0"}) {
    for (const auto cut : {line.find(' ') + 1, line.find(" ", 6),
                           line.rfind('/'), line.size()}) {
      auto client = connect();
      client.send(line.substr(0, cut));
      const auto x = client.exchange(line.substr(cut) + "\r\nHost: a\r\n\r\n");
      ASSERT_TRUE(x) << line;
      EXPECT_EQ(x->status, 505u) << line << " cut at " << cut;
      EXPECT_TRUE(client.closed()) << line;
    }
  }
  EXPECT_TRUE(alive());
}

TEST_F(http_request_line, what_stands_behind_its_version_is_400) {
  start();
  for (const auto* rest : {" \r\n", "x\r\n", " HTTP/1.1\r\n", "\rA: b\r\n"})
    EXPECT_EQ(
      status_of("GET /hello HTTP/1.1" + std::string{rest} + "Host: a\r\n\r\n"),
      400u)
      << rest;
  EXPECT_TRUE(alive());
}

TEST_F(http_request_line, two_hosts_are_none) {
  start();
  for (const auto* version : {"1.0", "1.1"})
    EXPECT_EQ(status_of("GET /hello HTTP/" + std::string{version}
                        + "\r\nHost: a\r\nHost: a\r\n\r\n"),
              400u);
  EXPECT_TRUE(alive());
}

TEST_F(http_request_line, what_is_refused_early_has_been_received) {
  start({.receive_limit = 300ms});
  EXPECT_EQ(status_of(head("Content-Length: x\r\n")), 400u);
  EXPECT_EQ(status_of(head("A: " + std::string(20'000, 'x') + "\r\n")), 431u);
  EXPECT_EQ(status_of("INVENTED / HTTP/1.1\r\n\r\n"), 501u);
  EXPECT_EQ(status_of("POST /echo HTTP/1.1\r\n"), 408u);
  EXPECT_EQ(server_->numbers().requests, 4u);
}
