#include "adapters/sources/gauges/make_gauge.hpp"
#include "tests/support/scripted_server.hpp"

#include <chrono>
#include <cstdint>
#include <future>
#include <memory>
#include <string>

#include <curl/curl.h>
#include <gtest/gtest.h>

namespace depositd::sources {

namespace {

using depositd::testing::scripted_server;

std::unique_ptr<downstream_gauge> gauge_at(const std::string& url) {
  scheduler_settings x;
  x.queue = "work";
  x.downstream = url;
  auto out = make_gauge(x, {});
  EXPECT_TRUE(out) << render(out.error());
  return out ? std::move(*out) : nullptr;
}

/// What a gauge makes of such an answer.
caf::expected<std::uint64_t> left_by(const std::string& answer) {
  scripted_server server{[&](const std::string&) { return answer; }};
  return gauge_at(server.url("/left"))->left(std::chrono::minutes{1});
}

} // namespace

TEST(web_gauge_test, reads_a_number_or_an_object) {
  struct line {
    const char* body;
    std::uint64_t left;
  };
  for (const auto& x :
       {line{"0", 0}, line{"17", 17}, line{" 17\n", 17}, line{"17.2", 18},
        line{R"({"left":17})", 17}, line{R"({"a":[1],"left": 3, "b":2})", 3},
        line{"1e3", 1000},
        line{"9000000000000000", 9'000'000'000'000'000},
        line{"9e15", 9'000'000'000'000'000}}) {
    const auto out = left_by(scripted_server::ok(x.body));
    ASSERT_TRUE(out) << x.body << ": " << render(out.error());
    EXPECT_EQ(*out, x.left) << x.body;
  }
}

TEST(web_gauge_test, refuses_what_is_neither) {
  for (const auto* body : {"", "many", "-1", "1 2", "\"17\"", "null", "[17]",
                           "{}", R"({"left":"17"})", R"({"left":-1})",
                           R"({"left":null})", "1e300", R"({"left":17)",
                           "9000000000000001", "9000000000000001.0",
                           "18446744073709551615"}) {
    const auto out = left_by(scripted_server::ok(body));
    ASSERT_FALSE(out) << body;
    EXPECT_EQ(out.error(), ec::malformed) << body;
  }
}

TEST(web_gauge_test, refuses_an_answer_without_end) {
  const auto out =
    left_by(scripted_server::ok(std::string(1'000'000, ' ') + "17"));
  ASSERT_FALSE(out);
  EXPECT_EQ(out.error(), ec::malformed);
}

TEST(web_gauge_test, takes_an_answer_up_to_the_last_byte_that_may_be) {
  const auto padded = [](std::size_t bytes) {
    return scripted_server::ok(std::string(bytes - 2, ' ') + "17");
  };
  const auto most = left_by(padded(64 * 1024));
  ASSERT_TRUE(most) << render(most.error());
  EXPECT_EQ(*most, 17u);
  const auto more = left_by(padded(64 * 1024 + 1));
  ASSERT_FALSE(more);
  EXPECT_EQ(more.error(), ec::malformed);
}

// No server need speak TLS for that: certificates are read before it is asked.
TEST(web_gauge_test, trusts_by_the_certificates_that_are_set) {
  scripted_server server{
    [](const std::string&) { return scripted_server::ok("1"); }};
  scheduler_settings x;
  x.queue = "work";
  x.downstream = "https" + server.url("/left").substr(4);
  reader_context in;
  in.ca_file = "/nowhere/ca.pem";
  const auto gauge = make_gauge(x, in);
  ASSERT_TRUE(gauge) << render(gauge.error());
  const auto out = (*gauge)->left(std::chrono::minutes{1});
  ASSERT_FALSE(out);
  EXPECT_NE(
    render(out.error()).find(curl_easy_strerror(CURLE_SSL_CACERT_BADFILE)),
    std::string::npos)
    << render(out.error());
}

TEST(web_gauge_test, takes_no_other_status_for_an_answer) {
  for (const auto* status : {"404 Not Found", "500 Error", "503 Busy"}) {
    const auto out =
      left_by(scripted_server::response(status, "Content-Length: 2\r\n", "17"));
    ASSERT_FALSE(out) << status;
    EXPECT_EQ(out.error(), ec::store_failed) << status;
    EXPECT_NE(render(out.error()).find(std::string{status}.substr(0, 3)),
              std::string::npos);
  }
}

TEST(web_gauge_test, follows_no_redirect) {
  scripted_server to{
    [](const std::string&) { return scripted_server::ok("1"); }};
  const auto out = left_by(scripted_server::response(
    "302 Found", "Content-Length: 0\r\nLocation: " + to.url("/") + "\r\n", ""));
  ASSERT_FALSE(out);
  EXPECT_EQ(out.error(), ec::store_failed);
  EXPECT_TRUE(to.requests().empty());
}

TEST(web_gauge_test, asks_each_time) {
  int asked = 0;
  scripted_server server{[&](const std::string&) {
    return scripted_server::ok(std::to_string(++asked));
  }};
  const auto gauge = gauge_at(server.url("/left?of=work"));
  for (std::uint64_t i = 1; i < 4; ++i) {
    const auto out = gauge->left(std::chrono::minutes{1});
    ASSERT_TRUE(out) << render(out.error());
    EXPECT_EQ(*out, i);
  }
  EXPECT_EQ(server.requests()[0].rfind("GET /left?of=work ", 0), 0u);
}

TEST(web_gauge_test, waits_no_longer_than_it_may) {
  std::promise<void> over;
  auto wait = over.get_future().share();
  scripted_server server{[wait](const std::string&) {
    wait.wait();
    return scripted_server::ok("1");
  }};
  const auto gauge = gauge_at(server.url("/"));
  const auto out = gauge->left(std::chrono::milliseconds{100});
  over.set_value();
  ASSERT_FALSE(out);
  EXPECT_EQ(out.error(), ec::store_failed);
}

TEST(web_gauge_test, says_that_nobody_is_there) {
  const auto gauge = gauge_at("http://me:s3cret@127.0.0.1:1/secret-path");
  const auto out = gauge->left(std::chrono::minutes{1});
  ASSERT_FALSE(out);
  EXPECT_EQ(out.error(), ec::store_failed);
  EXPECT_EQ(render(out.error()).find("s3cret"), std::string::npos);
  EXPECT_EQ(render(out.error()).find("secret-path"), std::string::npos);
}

TEST(a_gauge, refuses_settings_that_cannot_work) {
  struct line {
    const char* downstream;
    const char* query;
    const char* why;
  };
  for (const auto& x :
       {line{"", "", "downstream: expected"},
        line{"ftp://h/", "", "downstream: expected"},
        line{"sqlite:/a/b", "SELECT 1", "downstream: expected"},
        line{"postgresql://h/db", "", "there is no query"},
        line{"postgresql://h/db", "SELECT :limit", "has no use for"},
        line{"postgresql://me:s3cret@h/db?nonsense=1", "SELECT 1",
             "downstream: "}}) {
    scheduler_settings settings;
    settings.queue = "work";
    settings.downstream = x.downstream;
    settings.downstream_query = x.query;
    const auto out = make_gauge(settings, {});
    ASSERT_FALSE(out) << x.downstream;
    EXPECT_EQ(out.error(), ec::invalid_argument) << x.downstream;
    EXPECT_EQ(render(out.error()).rfind("downstream", 0), 0u)
      << render(out.error());
    EXPECT_NE(render(out.error()).find(x.why), std::string::npos)
      << render(out.error());
    EXPECT_EQ(render(out.error()).find("s3cret"), std::string::npos);
  }
}

} // namespace depositd::sources
