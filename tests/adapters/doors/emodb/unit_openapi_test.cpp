// docs/openapi.yaml and the door name the same routes.

#include "adapters/doors/emodb/door.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <string>

#include <yaml-cpp/yaml.h>

namespace depositd::testing {

namespace {

/// The rest is the Crossref door's.
bool is_of_door(const YAML::Node& path) {
  const auto name = path.as<std::string>();
  return name == "/ping" || name.starts_with("/queue/")
         || name.starts_with("/dedupq/");
}

std::set<std::string> described(const YAML::Node& document) {
  std::set<std::string> out;
  for (const auto& path : document["paths"])
    for (const auto& call : path.second) {
      if (!is_of_door(path.first))
        continue;
      auto method = call.first.as<std::string>();
      std::transform(method.begin(), method.end(), method.begin(), [](char c) {
        return static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
      });
      out.insert(method + ' ' + path.first.as<std::string>());
    }
  return out;
}

/// Every `$ref` in the document.
void gather(const YAML::Node& from, std::set<std::string>& out) {
  if (from.IsSequence())
    for (const auto& x : from)
      gather(x, out);
  if (!from.IsMap())
    return;
  for (const auto& x : from) {
    if (x.first.as<std::string>() == "$ref")
      out.insert(x.second.as<std::string>());
    gather(x.second, out);
  }
}

TEST(emodb_openapi, names_the_routes_of_the_door_and_no_others) {
  std::set<std::string> served;
  for (const auto& x : emodb::door::all_routes())
    served.insert(x.method + ' ' + x.path);
  EXPECT_EQ(described(YAML::LoadFile(DEPOSITD_OPENAPI_FILE)), served);
}

/// What the door answers with, of each kind of call.
std::set<std::string> statuses_of(const YAML::Node& call, bool names_a_move) {
  std::set<std::string> out{"200", "400", "403", "406", "431", "500", "503"};
  if (call["requestBody"])
    out.insert({"413", "415", "422"});
  if (names_a_move)
    out.insert("404");
  return out;
}

TEST(emodb_openapi, tells_the_statuses_of_every_call) {
  const auto document = YAML::LoadFile(DEPOSITD_OPENAPI_FILE);
  for (const auto& path : document["paths"]) {
    const auto name = path.first.as<std::string>();
    if (name == "/ping" || !is_of_door(path.first))
      continue;
    for (const auto& call : path.second) {
      std::set<std::string> told;
      for (const auto& status : call.second["responses"])
        told.insert(status.first.as<std::string>());
      EXPECT_EQ(told,
                statuses_of(call.second, name.find("{reference}") != name.npos))
        << name;
    }
  }
}

TEST(emodb_openapi, refers_to_what_is_there) {
  const auto document = YAML::LoadFile(DEPOSITD_OPENAPI_FILE);
  std::set<std::string> references;
  gather(document, references);
  EXPECT_FALSE(references.empty());
  for (const auto& x : references) {
    ASSERT_EQ(x.rfind("#/components/", 0), 0u) << x;
    const auto rest = x.substr(13);
    const auto slash = rest.find('/');
    EXPECT_TRUE(
      document["components"][rest.substr(0, slash)][rest.substr(slash + 1)])
      << x;
  }
}

} // namespace

} // namespace depositd::testing
