// Against servers on this machine. Names of tests begin with the rows of the
// case table that they stand for.

#include "adapters/notifying/signature.hpp"
#include "adapters/notifying/web_callbacks.hpp"
#include "messages/values/base64.hpp"
#include "tests/support/scripted_server.hpp"

#include <gtest/gtest.h>

#include <future>
#include <thread>

#include <sys/socket.h>
#include <unistd.h>

namespace depositd {

namespace {

using server = testing::scripted_server;

class web_calls : public ::testing::Test {
protected:
  caf::error send(const server& to, callback x = {}) {
    if (x.url.empty())
      x.url = to.url("/mc/jid-1");
    const address_guard guard{{{"127.0.0.1", to.port()}}};
    return make_web_callbacks(guard, options)->send(x);
  }

  caf::error send_for(const std::string& status,
                      const std::string& headers = "") {
    const server to{[&](const auto&) {
      return server::response(status, "Content-Length: 0\r\n" + headers, "");
    }};
    return send(to, {.body = "{}"});
  }

  web_callback_options options{.time_limit = std::chrono::minutes{5},
                               .now = [] { return 1'700'000'000; }};
};

} // namespace

TEST(signatures, are_those_of_the_standard) {
  // RFC 4231, test cases 1 and 6.
  EXPECT_EQ(hmac_sha256_hex(std::string(20, '\x0b'), "Hi There"),
            "b0344c61d8db38535ca8afceaf0bf12b"
            "881dc200c9833da726e9376c2e32cff7");
  EXPECT_EQ(
    hmac_sha256_hex(std::string(131, '\xaa'),
                    "Test Using Larger Than Block-Size Key - Hash Key First"),
    "60e431591ee0b67f0d8a26aacbf5b77f"
    "8e0bc6213728c5140546040f0ee37f54");
}

TEST_F(web_calls, R23_post_the_body_signed) {
  const server to{[](const auto&) { return server::ok("thanks"); }};
  const auto failed =
    send(to, {.key = "secret", .id = "jid-1-COMPLETED", .body = "{\"a\":1}"});
  ASSERT_FALSE(failed) << render(failed);
  const auto request = to.requests().at(0);
  EXPECT_TRUE(request.starts_with("POST /mc/jid-1 HTTP/1.1\r\n")) << request;
  EXPECT_TRUE(request.ends_with("\r\n\r\n{\"a\":1}")) << request;
  EXPECT_EQ(server::header(request, "Content-Type"), "application/json");
  EXPECT_EQ(server::header(request, "X-Depositd-Id"), "jid-1-COMPLETED");
  EXPECT_EQ(server::header(request, "X-Depositd-Signature"),
            "t=1700000000,v1="
              + hmac_sha256_hex("secret", "1700000000.{\"a\":1}"));
  EXPECT_EQ(server::header(request, "Authorization"), "");
}

TEST_F(web_calls, are_not_signed_without_a_key) {
  const server to{[](const auto&) { return server::ok(""); }};
  ASSERT_FALSE(send(to, {.body = "{}"}));
  EXPECT_EQ(to.requests().at(0).find("Signature"), std::string::npos);
}

TEST_F(web_calls, R25_put_the_login_into_a_header_and_nowhere_else) {
  const server to{[](const auto&) { return server::ok(""); }};
  const auto port = std::to_string(to.port());
  ASSERT_FALSE(
    send(to, {.url = "http://ann:pass%40word@127.0.0.1:" + port + "/x/mc/jid-1",
              .body = "{}"}));
  const auto request = to.requests().at(0);
  EXPECT_TRUE(request.starts_with("POST /x/mc/jid-1 HTTP/1.1\r\n")) << request;
  EXPECT_EQ(server::header(request, "Authorization"),
            "Basic " + encode_base64("ann:pass@word"));
  EXPECT_EQ(request.find("pass"), std::string::npos);
}

TEST_F(web_calls, R25_never_say_the_login_in_an_error) {
  const server to{[](const auto&) {
    return server::response("500 Oh", "Content-Length: 0\r\n", "");
  }};
  const auto port = std::to_string(to.port());
  const std::vector<std::string> urls{"http://ann:topsecret@127.0.0.1:" + port
                                        + "/",
                                      "http://ann:topsecret@127.0.0.1:1/",
                                      "http://ann:topsecret@h h/",
                                      "ftp://ann:topsecret@127.0.0.1/",
                                      "http://ann:topsecret@[::1/",
                                      "ann:topsecret",
                                      "http://ann:topsecret@"};
  for (const auto& url : urls) {
    const auto failed = send(to, {.url = url, .body = "{}"});
    EXPECT_TRUE(failed) << url;
    EXPECT_EQ(render(failed).find("topsecret"), std::string::npos)
      << render(failed);
  }
}

TEST_F(web_calls, R24_are_accepted_with_2xx) {
  for (const auto* status : {"200 OK", "201 Created", "202 A", "204 No"})
    EXPECT_FALSE(send_for(status)) << status;
}

TEST_F(web_calls, R24_are_refused_for_good_with_4xx) {
  for (const auto* status : {"400 Bad", "401 Who", "403 No", "404 Where",
                             "410 Gone", "422 What", "499 Odd"})
    EXPECT_EQ(send_for(status), ec::invalid_argument) << status;
}

TEST_F(web_calls, R24_may_be_tried_again_after_all_else) {
  for (const auto* status : {"408 Slow", "425 Early", "429 Often", "500 Oh",
                             "502 Bad", "503 Busy", "504 Slow"})
    EXPECT_EQ(send_for(status), ec::overloaded) << status;
}

TEST_F(web_calls, are_not_led_elsewhere) {
  const server other{[](const auto&) { return server::ok(""); }};
  for (const auto* status : {"301 Moved", "302 Found", "307 There", "308 Gone"})
    EXPECT_EQ(send_for(status, "Location: " + other.url("/") + "\r\n"),
              ec::overloaded)
      << status;
  EXPECT_TRUE(other.requests().empty());
}

TEST_F(web_calls, go_to_no_private_address_that_is_not_allowed) {
  const server to{[](const auto&) { return server::ok(""); }};
  const address_guard guard{{}};
  EXPECT_EQ(make_web_callbacks(guard, options)
              ->send({.url = to.url("/"), .body = "{}"}),
            ec::invalid_argument);
  EXPECT_TRUE(to.requests().empty());
}

TEST_F(web_calls, R24_end_in_time) {
  options.time_limit = std::chrono::milliseconds{300};
  std::promise<void> over;
  const server to{[released = over.get_future().share()](const auto&) {
    released.wait_for(std::chrono::seconds{60});
    return std::string{};
  }};
  EXPECT_EQ(send(to, {.body = "{}"}), ec::overloaded);
  over.set_value();
}

TEST_F(web_calls, R24_may_be_tried_again_if_nobody_answers) {
  callback x{.body = "{}"};
  address_guard guard{{}};
  {
    const server gone{[](const auto&) { return std::string{}; }};
    x.url = gone.url("/");
    guard = address_guard{{{"127.0.0.1", gone.port()}}};
  }
  EXPECT_EQ(make_web_callbacks(guard, options)->send(x), ec::overloaded);
}

TEST_F(web_calls, are_accepted_whatever_becomes_of_the_rest_of_the_answer) {
  const server cut{[](const auto&) {
    return server::response("200 OK", "Content-Length: 100\r\n", "thanks");
  }};
  EXPECT_FALSE(send(cut, {.body = "{}"}));
  std::promise<void> over;
  const testing::loopback_listener door;
  std::thread hanging{[&, released = over.get_future()] {
    const int peer = door.accept();
    const std::string said = "HTTP/1.1 200 OK\r\n\r\n";
    EXPECT_GT(::send(peer, said.data(), said.size(), MSG_NOSIGNAL), 0);
    released.wait();
    ::close(peer);
  }};
  const address_guard guard{{{"127.0.0.1", door.port()}}};
  options.time_limit = std::chrono::hours{1};
  const auto failed = make_web_callbacks(guard, options)->send(
    {.url = "http://127.0.0.1:" + std::to_string(door.port()) + "/",
     .body = "{}"});
  EXPECT_FALSE(failed) << render(failed);
  over.set_value();
  hanging.join();
}

TEST_F(web_calls, do_not_read_answers_without_end) {
  const server to{[](const auto&) {
    return server::response("200 OK", "", std::string(5'000'000, 'x'));
  }};
  EXPECT_FALSE(send(to, {.body = "{}"}));
}

TEST_F(web_calls, have_no_second_line_in_a_header) {
  const server to{[](const auto&) { return server::ok(""); }};
  EXPECT_EQ(send(to, {.id = "a\r\nX: y", .body = "{}"}), ec::invalid_argument);
  EXPECT_EQ(send(to, {.body = "{}", .headers = {{"Title", "a\r\nX: y"}}}),
            ec::invalid_argument);
  EXPECT_TRUE(to.requests().empty());
  EXPECT_FALSE(send(to, {.body = "{}", .headers = {{"Title", "a, b"}}}));
  EXPECT_EQ(server::header(to.requests().at(0), "Title"), "a, b");
}

TEST_F(web_calls, heed_when_a_receiver_wants_to_be_called_again) {
  using namespace std::chrono_literals;
  std::chrono::steady_clock::time_point now{1h};
  options.steady_now = [&now] { return now; };
  std::string status = "503 Busy";
  std::string when = "120";
  const server to{[&](const auto&) {
    return server::response(
      status, "Content-Length: 0\r\nRetry-After: " + when + "\r\n", "");
  }};
  const server other{[](const auto&) { return server::ok(""); }};
  const address_guard guard{
    {{"127.0.0.1", to.port()}, {"127.0.0.1", other.port()}}};
  const auto calls = make_web_callbacks(guard, options);
  EXPECT_EQ(calls->rest_of(to.url("/a")), 0ms);
  EXPECT_EQ(calls->send({.url = to.url("/a"), .body = "{}"}), ec::overloaded);
  EXPECT_EQ(calls->rest_of(to.url("/b")), 120s);
  EXPECT_EQ(calls->rest_of(other.url("/a")), 0ms);
  now += 119s;
  EXPECT_EQ(calls->rest_of(to.url("/b")), 1s);
  const auto early = calls->send({.url = to.url("/b"), .body = "{}"});
  EXPECT_EQ(early, ec::overloaded);
  EXPECT_NE(render(early).find("wants to be called again in 1 s"),
            std::string::npos);
  EXPECT_EQ(to.requests().size(), 1u);
  now += 1s;
  EXPECT_EQ(calls->rest_of(to.url("/b")), 0ms);
  status = "429 Often";
  when = "Fri, 01 Jan 2100 00:00:00 GMT";
  EXPECT_EQ(calls->send({.url = to.url("/a"), .body = "{}"}), ec::overloaded);
  EXPECT_EQ(calls->rest_of(to.url("/a")), 1h) << "nobody may ask for more";
  now += 1h;
  status = "200 OK";
  EXPECT_FALSE(calls->send({.url = to.url("/a"), .body = "{}"}));
  EXPECT_EQ(calls->rest_of(to.url("/a")), 0ms) << "it took the call";
  status = "503 Busy";
  for (const auto* odd : {"soon", "-1", "0", ""}) {
    when = odd;
    EXPECT_EQ(calls->send({.url = to.url("/a"), .body = "{}"}), ec::overloaded);
    EXPECT_EQ(calls->rest_of(to.url("/a")), 0ms) << odd;
  }
}

} // namespace depositd
