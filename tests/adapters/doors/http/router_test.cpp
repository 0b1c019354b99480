#include "adapters/doors/http/router.hpp"

#include <gtest/gtest.h>

using namespace depositd::http;

namespace {

using names = std::vector<std::string>;

router emodb_like() {
  router out;
  const auto nothing = [](request&&, responder x) { x.send({}); };
  out.add("POST", "/queue/1/{name}/send", nothing);
  out.add("GET", "/queue/1/{name}/poll", nothing);
  out.add("DELETE", "/queue/1/{name}", nothing);
  out.add("POST", "/queue/1/_move", nothing);
  out.add("GET", "/queue/1/_move/{reference}", nothing);
  out.add("GET", "/", nothing);
  return out;
}

} // namespace

TEST(http_router, keeps_dots_and_empty_names_as_segments) {
  EXPECT_EQ(split_path("/queue/1/.."), (names{"queue", "1", ".."}));
  EXPECT_EQ(split_path("/queue/1/./send"), (names{"queue", "1", ".", "send"}));
  EXPECT_EQ(split_path("/queue/1//send"), (names{"queue", "1", "", "send"}));
  EXPECT_EQ(split_path("/a/b/"), (names{"a", "b"}));
  EXPECT_EQ(split_path("/"), names{});
}

TEST(http_router, decodes_segments_and_drops_path_parameters) {
  EXPECT_EQ(split_path("/a%3Ab/c%2Fd;x=1/e%3Bf"), (names{"a:b", "c/d", "e;f"}));
}

TEST(http_router, captures_names_in_order) {
  const auto routes = emodb_like();
  const auto x = routes.find("POST", {"queue", "1", "..", "send"});
  ASSERT_TRUE(x.found);
  EXPECT_EQ(x.captured, names{".."});
}

TEST(http_router, prefers_literal_segments) {
  const auto routes = emodb_like();
  EXPECT_EQ(routes.find("GET", {"queue", "1", "_move", "poll"}).captured,
            names{"poll"});
  const auto x = routes.find("DELETE", {"queue", "1", "_move"});
  EXPECT_FALSE(x.found);
  EXPECT_EQ(x.allow, "POST");
}

TEST(http_router, captures_all_that_follows) {
  router routes;
  const auto nothing = [](request&&, responder x) { x.send({}); };
  routes.add("POST", "/submit", nothing);
  routes.add("POST", "/submit/{ark...}", nothing);
  routes.add("GET", "/submit/{id}/log", nothing);
  const auto captured = [&](const char* method, const char* path) {
    const auto x = routes.find(method, split_path(path));
    return x.found ? x.captured : names{"nothing"};
  };
  EXPECT_EQ(captured("POST", "/submit"), names{});
  EXPECT_EQ(captured("POST", "/submit/"), names{});
  EXPECT_EQ(captured("POST", "/submit/a"), names{"a"});
  EXPECT_EQ(captured("POST", "/submit/ark:/9/x//y"), names{"ark:/9/x//y"});
  EXPECT_EQ(captured("POST", "/submit/ark%3A%2F9"), names{"ark:/9"});
  EXPECT_EQ(captured("POST", "/submit/a/other"), names{"a/other"});
  EXPECT_EQ(captured("GET", "/submit/a/log"), names{"a"});
  EXPECT_EQ(routes.find("GET", split_path("/submit/a/b")).allow, "POST");
}

TEST(http_router, names_the_methods_of_a_path) {
  const auto routes = emodb_like();
  const auto x = routes.find("PUT", {"queue", "1", "q", "poll"});
  EXPECT_FALSE(x.found);
  EXPECT_EQ(x.allow, "GET, HEAD");
  EXPECT_TRUE(routes.find("HEAD", {"queue", "1", "q", "poll"}).found);
  const auto none = routes.find("GET", {"queue", "1", "q", "nosuch"});
  EXPECT_FALSE(none.found);
  EXPECT_TRUE(none.allow.empty());
}

TEST(http_router, does_not_let_head_into_a_get_that_changes_things) {
  router routes;
  route_options options;
  options.head = false;
  routes.add("GET", "/poll", [](request&&, responder x) { x.send({}); },
             options);
  EXPECT_TRUE(routes.find("GET", {"poll"}).found);
  const auto x = routes.find("HEAD", {"poll"});
  EXPECT_FALSE(x.found);
  EXPECT_EQ(x.allow, "GET");
}
