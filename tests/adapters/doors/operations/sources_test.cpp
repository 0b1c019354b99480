// What scripts hear of sources over HTTP.

#include "adapters/doors/operations/sources.hpp"

#include "messages/cluster.hpp"
#include "messages/operators.hpp"
#include "messages/processors.hpp"
#include "tests/support/actor_fixture.hpp"

#include <nlohmann/json.hpp>

#include <memory>
#include <string>
#include <vector>

namespace depositd {

namespace {

using json = nlohmann::json;

struct one_answer final : http::answer_sink {
  bool answer(http::response what) override {
    got = std::move(what);
    return true;
  }
  void pass() override {
    // only doors with gates do
  }
  bool hold(std::uint64_t) override {
    return true;
  }

  http::response got;
};

class sources_door_test : public testing::actor_fixture {
protected:
  sources_door_test() {
    const auto fake = spawn([this](caf::event_based_actor*) -> caf::behavior {
      return {[this](const admin_request& x) -> caf::result<admin_reply> {
        asked.push_back(x);
        if (silent)
          return caf::delegated<admin_reply>{};
        if (refusal)
          return refusal;
        return admin_reply{R"({"a":1})"};
      }};
    });
    const auto door =
      spawn(operators_door, caf::actor_cast<admin_actor>(
                              caf::actor_cast<caf::strong_actor_ptr>(fake)));
    add_source_routes(routes, door);
  }

  /// What a target is answered; 0 if there is no route for it.
  http::response get(const std::string& path,
                     const http::parameters& query = {},
                     const std::string& method = "GET") {
    const auto to = std::make_shared<one_answer>();
    to->got.status = 0;
    http::request x;
    x.method = method;
    x.segments = http::split_path(path);
    x.query = query;
    const auto match = routes.find(method, x.segments);
    if (!match.found)
      return to->got;
    x.captured = match.captured;
    match.found->answer(std::move(x), http::responder{to});
    settle();
    if (silent) {
      advance(std::chrono::seconds{10});
    }
    return to->got;
  }

  /// The last command with its arguments.
  std::string last() const {
    return asked.empty() ? ""
                         : asked.back().command + " " + asked.back().arguments;
  }

  http::router routes;
  std::vector<admin_request> asked;
  caf::error refusal;
  bool silent = false;
};

TEST_F(sources_door_test, paths_are_commands_that_read) {
  const auto x = get("/api/v1/sources");
  EXPECT_EQ(x.status, 200u);
  EXPECT_EQ(x.body, R"({"a":1})");
  ASSERT_NE(http::find_header(x.headers, "Content-Type"), nullptr);
  EXPECT_EQ(*http::find_header(x.headers, "Content-Type"), "application/json");
  EXPECT_EQ(last(), "source list {}");
  get("/api/v1/sources", {{"after", "b"}, {"limit", "5"}});
  EXPECT_EQ(last(), R"(source list {"after":"b","limit":5})");
  get("/api/v1/sources/box");
  EXPECT_EQ(last(), R"(source show {"name":"box"})");
  get("/api/v1/schedulers");
  EXPECT_EQ(last(), "scheduler list {}");
  get("/api/v1/schedulers/s");
  EXPECT_EQ(last(), R"(scheduler show {"name":"s"})");
  EXPECT_EQ(get("/api/v1/sources/box", {}, "HEAD").status, 200u);
}

TEST_F(sources_door_test, keys_may_have_slashes) {
  get("/api/v1/sources/box/records/a%2Fb%3Bc.txt");
  EXPECT_EQ(last(), R"(source record {"key":"a/b;c.txt","name":"box"})");
  get("/api/v1/sources/box/records/a/b%20c");
  EXPECT_EQ(last(), R"(source record {"key":"a/b c","name":"box"})");
}

TEST_F(sources_door_test, refusals_have_their_status) {
  refusal = caf::make_error(ec::not_found, std::string{"no such source"});
  const auto x = get("/api/v1/sources/box");
  EXPECT_EQ(x.status, 404u);
  EXPECT_EQ(x.body, "no such source\n");
  refusal = caf::make_error(ec::invalid_argument, std::string{"limit"});
  EXPECT_EQ(get("/api/v1/sources", {{"limit", "x"}}).status, 400u);
  EXPECT_EQ(last(), R"(source list {"limit":"x"})");
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

TEST_F(sources_door_test, nothing_is_changed_here) {
  for (const auto* method : {"POST", "PUT", "DELETE", "PATCH"})
    for (const auto* path :
         {"/api/v1/sources", "/api/v1/sources/box", "/api/v1/schedulers/s",
          "/api/v1/sources/box/records/k"})
      EXPECT_EQ(get(path, {}, method).status, 0u) << method << path;
  EXPECT_EQ(get("/api/v1/sources/box/pause", {}, "POST").status, 0u);
  EXPECT_TRUE(asked.empty());
}

} // namespace

} // namespace depositd
