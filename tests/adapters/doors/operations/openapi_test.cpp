// The description of the API is what OpenAPI 3.1 says one is.

#include "adapters/doors/operations/openapi.hpp"

#include "actors/operators/command.hpp"

#include <caf/typed_event_based_actor.hpp>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <set>
#include <string>

namespace depositd {

namespace {

using json = nlohmann::json;

const json& described() {
  static const auto out =
    json::parse(openapi_text(operators::published_commands(), "1.2.3"));
  return out;
}

template <class F>
void for_each_call(F use) {
  for (const auto& [path, calls] : described()["paths"].items())
    for (const auto& [method, call] : calls.items())
      if (call.is_object()) // else the servers of the path
        use(path, method, call);
}

void gather(const json& from, std::set<std::string>& out) {
  if (from.is_object() && from.contains("$ref"))
    out.insert(from["$ref"]);
  if (from.is_structured())
    for (const auto& x : from)
      gather(x, out);
}

TEST(openapi, has_what_every_description_has) {
  EXPECT_EQ(described()["openapi"], "3.1.0");
  EXPECT_EQ(described()["info"]["version"], "1.2.3");
  EXPECT_FALSE(described()["info"]["title"].empty());
  EXPECT_TRUE(described()["servers"][0]["url"].is_string());
}

TEST(openapi, has_every_command_of_the_table) {
  for (const auto& row : operators::published_commands().commands) {
    auto path = "/api/v1/" + row.words;
    std::replace(path.begin(), path.end(), ' ', '/');
    ASSERT_TRUE(described()["paths"].contains(path)) << path;
    const auto& calls = described()["paths"][path];
    EXPECT_TRUE(calls.contains("post")) << path;
    EXPECT_EQ(calls.contains("get"), row.reads) << path;
    EXPECT_EQ(calls["post"]["responses"].contains("428"), !row.question.empty())
      << path;
  }
}

TEST(openapi, names_each_call_once) {
  std::set<std::string> ids;
  for_each_call([&](const auto& path, const auto& method, const json& call) {
    EXPECT_TRUE(ids.insert(call["operationId"]).second) << path << method;
    EXPECT_FALSE(call["summary"].empty()) << path;
    EXPECT_FALSE(call["responses"].empty()) << path;
    for (const auto& [status, answer] : call["responses"].items())
      EXPECT_TRUE(answer.contains("$ref") || answer.contains("description"))
        << path << status;
  });
}

bool is_of_operators(const std::string& path) {
  return path.starts_with("/api/v1/");
}

TEST(openapi, describes_each_argument_once) {
  for_each_call([&](const auto& path, const auto&, const json& call) {
    if (!is_of_operators(path))
      return;
    std::set<std::string> names;
    for (const auto& x : call.value("parameters", json::array())) {
      EXPECT_TRUE(names.insert(x["name"]).second) << path << x["name"];
      EXPECT_TRUE(x["schema"].is_object()) << path;
      EXPECT_TRUE(x["required"].is_boolean()) << path;
    }
    if (!call.contains("requestBody"))
      return;
    const auto& schema =
      call["requestBody"]["content"]["application/json"]["schema"];
    ASSERT_TRUE(schema["properties"].is_object()) << path;
    for (const auto& x : schema.value("required", json::array()))
      EXPECT_TRUE(schema["properties"].contains(x.get<std::string>()))
        << path << x;
  });
}

TEST(openapi, refers_to_what_is_there) {
  std::set<std::string> all;
  gather(described(), all);
  EXPECT_FALSE(all.empty());
  for (const auto& x : all) {
    ASSERT_TRUE(x.starts_with("#/")) << x;
    EXPECT_TRUE(described().contains(json::json_pointer{x.substr(1)})) << x;
  }
}

TEST(openapi, has_refusals_of_every_call_of_the_api) {
  for_each_call([](const auto& path, const auto& method, const json& call) {
    if (path.starts_with("/api/")) {
      EXPECT_TRUE(call["responses"].contains("default"))
        << method << ' ' << path;
    }
  });
}

TEST(openapi, is_open_only_where_nothing_is_told) {
  std::set<std::string> open;
  for_each_call([&](const auto& path, const auto& method, const json& call) {
    if (call.value("security", json::array({1})).empty()
        && !described()["paths"][path].contains("servers"))
      open.insert(method + ' ' + path);
  });
  EXPECT_EQ(open,
            (std::set<std::string>{"get /healthcheck", "get /livez",
                                   "get /readyz", "post /api/v1/session"}));
  // With or without a login, as the port is on the loopback or not.
  const auto& scrape = described()["paths"]["/metrics"]["get"]["security"];
  ASSERT_EQ(scrape.size(), 3u) << scrape;
  EXPECT_EQ(scrape[0], json::object());
  EXPECT_EQ(scrape[1], json::object({{"token", json::array()}}));
}

TEST(openapi, has_sources_and_schedulers_below_their_names) {
  const auto& paths = described()["paths"];
  for (const auto* path :
       {"/api/v1/sources", "/api/v1/sources/{name}",
        "/api/v1/sources/{name}/records/{key}", "/api/v1/schedulers",
        "/api/v1/schedulers/{name}"}) {
    ASSERT_TRUE(paths.contains(path)) << path;
    EXPECT_EQ(paths[path].size(), 1u) << path;
    EXPECT_EQ(paths[path]["get"]["security"][0], json::object()) << path;
  }
  for (const auto* path :
       {"/api/v1/sources/{name}/pause", "/api/v1/sources/{name}/feed",
        "/api/v1/schedulers/{name}/set",
        "/api/v1/schedulers/{name}/strategy/set"}) {
    ASSERT_TRUE(paths.contains(path)) << path;
    EXPECT_FALSE(paths[path].contains("get")) << path;
    const auto& schema = paths[path]["post"]["requestBody"]["content"]
                              ["application/json"]["schema"];
    EXPECT_FALSE(schema["properties"].contains("name")) << path;
  }
  EXPECT_TRUE(paths["/api/v1/schedulers/{name}/strategy"].contains("get"));
}

TEST(openapi, names_what_stands_in_a_path) {
  for_each_call([](const auto& path, const auto& method, const json& call) {
    std::set<std::string> named;
    for (const auto& x : call.value("parameters", json::array()))
      if (x.value("in", "") == "path")
        named.insert('{' + x["name"].template get<std::string>() + '}');
    if (!is_of_operators(path))
      return;
    std::set<std::string> wanted;
    for (auto at = path.find('{'); at != path.npos; at = path.find('{', at + 1))
      wanted.insert(path.substr(at, path.find('}', at) + 1 - at));
    EXPECT_EQ(named, wanted) << method << ' ' << path;
  });
}

TEST(openapi, has_the_doors_of_clients_on_their_own_port) {
  const auto& paths = described()["paths"];
  for (const auto* path : {"/servlet/deposit", "/servlet/submissionDownload",
                           "/v2/deposits", "/queue/1/{queue}/poll",
                           "/dedupq/1/{queue}/ack"}) {
    ASSERT_TRUE(paths.contains(path)) << path;
    EXPECT_TRUE(paths[path].contains("servers")) << path;
  }
  EXPECT_FALSE(paths["/api/v1/queue/list"].contains("servers"));
  // Their logins are not those of operators.
  EXPECT_EQ(paths["/servlet/deposit"]["post"]["security"], json::array());
  EXPECT_EQ(paths["/queue/1/{queue}/poll"]["get"]["security"][0],
            json::object({{"key", json::array()}}));
}

TEST(openapi, keeps_types_of_what_the_document_of_doors_says) {
  const auto& parts = described()["components"];
  const auto& limit = parts["parameters"]["limit"];
  EXPECT_EQ(limit["schema"]["maximum"], 1000);
  EXPECT_EQ(limit["name"], "limit");
  EXPECT_EQ(parts["parameters"]["queue"]["required"], true);
  EXPECT_EQ(parts["schemas"]["success"]["properties"]["success"]["enum"],
            json::array({true}));
  EXPECT_TRUE(parts["schemas"].contains("refusal"));
}

} // namespace

} // namespace depositd
