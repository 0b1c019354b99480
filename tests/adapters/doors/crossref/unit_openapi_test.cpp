// docs/openapi.yaml and the Crossref door name the same routes.

#include "adapters/doors/crossref/door.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <string>

#include <yaml-cpp/yaml.h>

namespace depositd::testing {

namespace {

bool is_of_door(const std::string& path) {
  return path.starts_with("/servlet/") || path.starts_with("/v2/");
}

TEST(crossref_openapi, names_the_routes_of_the_door_and_no_others) {
  http::router routes;
  crossref::add_door_routes(routes, {}, {});
  std::set<std::string> described;
  const auto document = YAML::LoadFile(DEPOSITD_OPENAPI_FILE);
  for (const auto& path : document["paths"]) {
    const auto name = path.first.as<std::string>();
    if (!is_of_door(name))
      continue;
    for (const auto& call : path.second) {
      auto method = call.first.as<std::string>();
      std::transform(method.begin(), method.end(), method.begin(), [](char c) {
        return static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
      });
      described.insert(method + ' ' + name);
      EXPECT_NE(routes.find(method, http::split_path(name)).found, nullptr)
        << method << ' ' << name;
    }
  }
  EXPECT_EQ(described,
            (std::set<std::string>{
              "POST /servlet/deposit", "POST /v2/deposit", "POST /v2/deposits",
              "GET /servlet/submissionDownload",
              "POST /servlet/submissionDownload"}));
}

} // namespace

} // namespace depositd::testing
