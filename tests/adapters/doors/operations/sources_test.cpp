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

TEST_F(sources_door_test, nothing_is_changed_without_a_login) {
  for (const auto* method : {"POST", "PUT", "DELETE", "PATCH"})
    for (const auto* path :
         {"/api/v1/sources", "/api/v1/sources/box", "/api/v1/schedulers/s",
          "/api/v1/sources/box/records/k", "/api/v1/source/pause"}) {
      http::request x;
      x.method = method;
      x.path = path;
      // 0: there is no such route.
      const bool is_command =
        x.method == "POST" && x.path == "/api/v1/source/pause";
      EXPECT_EQ(ask(x).status, is_command ? 401u : 0u) << method << path;
    }
  EXPECT_TRUE(asked.empty());
}

} // namespace

} // namespace depositd
