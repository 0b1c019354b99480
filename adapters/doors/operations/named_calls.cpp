#include "adapters/doors/operations/named_calls.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace depositd {

namespace {

using document = nlohmann::ordered_json;

constexpr std::string_view root = "/api/v1/";

struct named_path {
  std::string path; ///< empty: the command has none
  std::vector<const char*> names{};
  bool open = false; ///< on the loopback without a login, too
};

/// Of the words behind "source", "scheduler" or "strategy".
named_path below(const std::string& things, const std::string& verb) {
  const auto all = std::string{root} + things;
  const auto one = all + "/{name}";
  if (verb == "list")
    return {all, {}, true};
  if (verb == "show")
    return {one, {"name"}, true};
  if (verb == "record")
    return {one + "/records/{key}", {"name", "key"}, true};
  return {one + '/' + verb, {"name"}};
}

named_path named_path_of(const std::string& path) {
  const auto words = path.substr(std::min(root.size(), path.size()));
  const auto slash = words.find('/');
  if (!path.starts_with(root) || slash == std::string::npos)
    return {};
  const auto thing = words.substr(0, slash);
  const auto verb = words.substr(slash + 1);
  if (thing == "source" || thing == "scheduler")
    return below(thing + 's', verb);
  if (thing == "strategy")
    return below("schedulers",
                 verb == "show" ? "strategy" : "strategy/" + verb);
  return {};
}

/// Once more, with what the path names left out of the rest.
document with_path(document call, const named_path& to) {
  const auto named = [&](const std::string& x) {
    return std::count(to.names.begin(), to.names.end(), x) > 0;
  };
  document parameters = document::array();
  for (const std::string name : to.names)
    parameters.push_back({{"name", name},
                          {"in", "path"},
                          {"required", true},
                          {"schema", {{"type", "string"}}}});
  for (const auto& x : call.value("parameters", document::array()))
    if (!named(x["name"]))
      parameters.push_back(x);
  call["parameters"] = std::move(parameters);
  call["operationId"] = "named_" + call["operationId"].get<std::string>();
  if (!call.contains("requestBody"))
    return call;
  auto& body = call["requestBody"];
  auto& schema = body["content"]["application/json"]["schema"];
  document required = document::array();
  for (const auto& x : schema.value("required", document::array()))
    if (!named(x))
      required.push_back(x);
  for (const auto* name : to.names)
    schema["properties"].erase(name);
  body["required"] = !required.empty();
  schema.erase("required");
  if (!required.empty())
    schema["required"] = std::move(required);
  return call;
}

document calls_at(const document& calls, const named_path& to) {
  document out;
  for (const auto& [method, call] : calls.items())
    if (!to.open || method == "get")
      out[method] = with_path(call, to);
  if (to.open)
    out["get"]["security"] = document::array(
      {document::object(), {{"token", document::array()}},
       {{"session", document::array()}}});
  return out;
}

} // namespace

void add_named_calls(document& paths) {
  std::vector<std::pair<std::string, document>> found;
  for (const auto& [path, calls] : paths.items())
    if (auto to = named_path_of(path); !to.path.empty())
      found.emplace_back(to.path, calls_at(calls, to));
  for (auto& [path, calls] : found)
    paths[path] = std::move(calls);
}

} // namespace depositd
