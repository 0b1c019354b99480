// What pages in browsers send, and how it is told from what others do.

#include "adapters/doors/http/browser.hpp"

#include <gtest/gtest.h>

#include <string>

#include <unistd.h>

namespace depositd {

namespace {

http::request a_request(const std::string& method, http::parameters headers,
                        const std::string& peer = "127.0.0.1") {
  http::request out;
  out.method = method;
  out.peer = peer;
  out.headers = std::move(headers);
  return out;
}

TEST(http_browser, knows_pages_of_its_own) {
  const auto own = [](http::parameters headers) {
    headers.emplace_back("Host", "here:1");
    return http::is_from_own_page(a_request("POST", std::move(headers)));
  };
  EXPECT_TRUE(own({})) << "no browser";
  EXPECT_TRUE(own({{"Origin", "http://here:1"}}));
  EXPECT_TRUE(own({{"Sec-Fetch-Site", "same-origin"}}));
  EXPECT_TRUE(own({{"Sec-Fetch-Site", "none"}})) << "somebody has typed it";
  EXPECT_FALSE(own({{"Origin", "http://here:2"}}));
  EXPECT_FALSE(own({{"Origin", "null"}}));
  EXPECT_FALSE(own({{"Sec-Fetch-Site", "same-site"}})) << "another port";
  EXPECT_FALSE(own({{"Sec-Fetch-Site", "cross-site"}}));
}

TEST(http_browser, names_of_this_machine_are_not_those_of_strangers) {
  for (const auto* host :
       {"127.0.0.1", "127.0.0.1:80", "[::1]:80", "192.0.2.1", "localhost",
        "localhost:80", "Queue.LOCALHOST:80", "nsqd:4151", "localhost."})
    EXPECT_TRUE(http::is_local_name(host)) << host;
  for (const auto* host :
       {"evil.example", "evil.example:80", "127.0.0.1.evil.example",
        "localhost.evil.example:80", "notlocalhost.com", "1.2.3"})
    EXPECT_FALSE(http::is_local_name(host)) << host;
  char own[256] = {};
  ASSERT_EQ(gethostname(own, sizeof own - 1), 0);
  EXPECT_TRUE(http::is_local_name(std::string{own} + ":1"));
}

TEST(http_browser, nobody_is_no_page_of_others) {
  const http::parameters page{{"Origin", "http://evil.example"},
                              {"Host", "127.0.0.1:1"}};
  EXPECT_FALSE(http::may_be_nobody(a_request("POST", page)));
  EXPECT_TRUE(http::may_be_nobody(a_request("GET", page)))
    << "the page cannot read the answer";
  // A name of its own that leads here, which makes all of it the same origin.
  const http::parameters rebound{{"Origin", "http://evil.example:1"},
                                 {"Host", "evil.example:1"}};
  EXPECT_FALSE(http::may_be_nobody(a_request("POST", rebound)));
  EXPECT_FALSE(http::may_be_nobody(a_request("GET", rebound)));
  EXPECT_FALSE(http::may_be_nobody(a_request("GET", rebound, "::1")));
  EXPECT_TRUE(http::may_be_nobody(
    a_request("GET", {{"Host", "queue.example"}}, "192.0.2.1")))
    << "whoever may listen there is known by that name";
  EXPECT_TRUE(http::may_be_nobody(a_request("POST", {})));
}

} // namespace

} // namespace depositd
