// What scripts hear of sources over HTTP.

#include "tests/adapters/doors/operations/api_world.hpp"

namespace depositd {

namespace {

class sources_door_test : public testing::api_world {};

TEST_F(sources_door_test, paths_are_commands_that_read) {
  const auto x = get("/api/v1/sources");
  EXPECT_EQ(x.status, 200u);
  EXPECT_EQ(x.body, R"({"a":1})");
  ASSERT_NE(http::find_header(x.headers, "Content-Type"), nullptr);
  EXPECT_EQ(*http::find_header(x.headers, "Content-Type"), "application/json");
  EXPECT_EQ(last(), "nobody: source list {}");
  get("/api/v1/sources", {{"after", "b"}, {"limit", "5"}});
  EXPECT_EQ(last(), R"(nobody: source list {"after":"b","limit":5})");
  get("/api/v1/sources/box");
  EXPECT_EQ(last(), R"(nobody: source show {"name":"box"})");
  get("/api/v1/schedulers");
  EXPECT_EQ(last(), "nobody: scheduler list {}");
  get("/api/v1/schedulers/s");
  EXPECT_EQ(last(), R"(nobody: scheduler show {"name":"s"})");
  http::request head;
  head.method = "HEAD";
  head.path = "/api/v1/sources/box";
  EXPECT_EQ(ask(head).status, 200u);
}

TEST_F(sources_door_test, keys_may_have_slashes) {
  get("/api/v1/sources/box/records/a%2Fb%3Bc.txt");
  EXPECT_EQ(last(),
            R"(nobody: source record {"key":"a/b;c.txt","name":"box"})");
  get("/api/v1/sources/box/records/a/b%20c");
  EXPECT_EQ(last(), R"(nobody: source record {"key":"a/b c","name":"box"})");
}

TEST_F(sources_door_test, refusals_have_their_status) {
  refusal = caf::make_error(ec::not_found, std::string{"no such source"});
  const auto x = get("/api/v1/sources/box");
  EXPECT_EQ(x.status, 404u);
  EXPECT_EQ(x.body, R"({"error":"not_found","text":"no such source"})");
  refusal = caf::make_error(ec::invalid_argument, std::string{"limit"});
  EXPECT_EQ(get("/api/v1/sources", {{"limit", "x"}}).status, 400u);
  EXPECT_EQ(last(), R"(nobody: source list {"limit":"x"})");
  refusal = caf::make_error(ec::overloaded, std::string{"later"});
  const auto later = get("/api/v1/sources");
  EXPECT_EQ(later.status, 503u);
  EXPECT_NE(http::find_header(later.headers, "Retry-After"), nullptr);
}

TEST_F(sources_door_test, who_does_not_answer_is_503) {
  silent = true;
  EXPECT_EQ(get("/api/v1/sources").status, 503u);
}

TEST_F(sources_door_test, what_is_no_text_is_not_asked) {
  EXPECT_EQ(get("/api/v1/sources/%ff").status, 400u);
  EXPECT_TRUE(asked.empty());
}

TEST_F(sources_door_test, has_all_commands_below_their_names) {
  const auto x = post("/api/v1/sources/box/pause", "{}", bearer);
  EXPECT_EQ(x.status, 200u) << x.body;
  EXPECT_EQ(last(), R"(script: source pause {"name":"box"})");
  post("/api/v1/sources/box/pause", "", bearer);
  EXPECT_EQ(last(), R"(script: source pause {"name":"box"})");
  EXPECT_EQ(get("/api/v1/sources/box/pause", {}, bearer).status, 405u);
  EXPECT_EQ(post("/api/v1/sources/box/remove", "{}", bearer).status, 428u);
  post("/api/v1/sources/a%2Fb/remove", R"({"yes":true})", bearer);
  EXPECT_EQ(last(), R"(script: source remove {"name":"a/b"})");
  get("/api/v1/sources/box/failed", {{"limit", "5"}}, bearer);
  EXPECT_EQ(last(), R"(script: source failed {"limit":5,"name":"box"})");
  get("/api/v1/schedulers/s/strategy", {}, bearer);
  EXPECT_EQ(last(), R"(script: strategy show {"name":"s"})");
  post("/api/v1/schedulers/s/strategy/set", R"-({"strategy":"fair(*)"})-",
       bearer);
  EXPECT_EQ(last(),
            R"-(script: strategy set {"name":"s","strategy":"fair(*)"})-");
}

TEST_F(sources_door_test, a_command_has_the_name_of_its_path) {
  EXPECT_EQ(post("/api/v1/sources/box/pause", R"({"name":"box"})", bearer)
              .status,
            200u);
  EXPECT_EQ(post("/api/v1/sources/box/pause", R"({"name":"other"})", bearer)
              .status,
            400u);
  EXPECT_EQ(post("/api/v1/sources/%ff/pause", "{}", bearer).status, 400u);
  for (const auto* path :
       {"/api/v1/sources/box/fly", "/api/v1/schedulers/s/pause",
        "/api/v1/sources/box/pause/now", "/api/v1/queues/q/purge"}) {
    const auto x = post(path, "{}", bearer);
    EXPECT_EQ(x.status, 404u) << path;
    EXPECT_EQ(error_of(x), "not_found") << path;
  }
  EXPECT_EQ(asked.size(), 1u);
}

TEST_F(sources_door_test, nothing_is_changed_without_a_login) {
  for (const auto* method : {"POST", "PUT", "DELETE", "PATCH"})
    for (const auto* path :
         {"/api/v1/sources", "/api/v1/sources/box", "/api/v1/schedulers/s",
          "/api/v1/sources/box/records/k", "/api/v1/source/pause",
          "/api/v1/sources/box/pause"}) {
      http::request x;
      x.method = method;
      x.path = path;
      // 0: there is no such route.
      const bool is_command =
        x.method == "POST" && x.path.ends_with("/pause");
      EXPECT_EQ(ask(x).status, is_command ? 401u : 0u) << method << path;
    }
  EXPECT_TRUE(asked.empty());
}

} // namespace

} // namespace depositd
