#include "adapters/stores/objects/inventory.hpp"

#include "adapters/stores/files/sha256.hpp"
#include "messages/values/json_text.hpp"
#include "messages/values/lower_case.hpp"

#include <nlohmann/json.hpp>

namespace depositd::ocfl {

namespace {

using json = nlohmann::json;

constexpr const char* inventory_type = "https://ocfl.io/1.1/spec/#inventory";

caf::error damaged(const std::string& text) {
  return caf::make_error(ec::store_damaged, "the inventory " + text);
}

json paths_of(const path_map& x) {
  auto out = json::object();
  for (const auto& [digest, paths] : x)
    out[digest] = paths;
  return out;
}

bool is_sha512(const std::string& text) {
  return text.size() == 128
         && text.find_first_not_of("0123456789abcdef") == text.npos;
}

/// Throws what the library throws; false for paths that leave the object.
bool read_paths(const json& from, path_map& to) {
  for (const auto& [digest, paths] : from.items()) {
    const auto key = lower_case(digest);
    if (!is_sha512(key))
      return false;
    auto& into = to[key];
    for (const auto& path : paths) {
      into.push_back(path.get<std::string>());
      const auto& text = into.back();
      if (text.empty() || text.front() == '/'
          || ("/" + text + "/").find("/../") != text.npos)
        return false;
    }
  }
  return true;
}

caf::expected<inventory> parse(std::string_view text) {
  const auto root = sound_json_of(text);
  inventory out;
  out.id = root.at("id").get<std::string>();
  if (root.at("digestAlgorithm").get<std::string>() != "sha512")
    return damaged("has another digest than sha512");
  if (!read_paths(root.at("manifest"), out.manifest))
    return damaged("has a bad path or digest");
  const auto& versions = root.at("versions");
  for (std::uint32_t number = 1; number <= versions.size(); ++number) {
    const auto& from = versions.at(version_name(number));
    auto& to = out.versions.emplace_back();
    to.created = from.at("created").get<std::string>();
    if (!read_paths(from.at("state"), to.state))
      return damaged("has a bad path or digest");
    to.message = from.value("message", "");
    if (from.contains("user"))
      to.user = from.at("user").at("name").get<std::string>();
    for (const auto& [digest, paths] : to.state)
      if (!out.manifest.contains(digest))
        return damaged("does not say where " + digest + " is");
  }
  if (out.versions.empty()
      || root.at("head").get<std::string>() != version_name(out.head()))
    return damaged("has another head than its last version");
  return out;
}

} // namespace

std::string version_name(std::uint32_t number) {
  return "v" + std::to_string(number);
}

std::string write_inventory(const inventory& x) {
  json versions = json::object();
  for (std::uint32_t i = 0; i < x.versions.size(); ++i) {
    const auto& from = x.versions[i];
    json to = {{"created", from.created}, {"state", paths_of(from.state)}};
    if (!from.message.empty())
      to["message"] = from.message;
    if (!from.user.empty())
      to["user"] = {{"name", from.user},
                    {"address", "urn:depositd:user:" + from.user}};
    versions[version_name(i + 1)] = std::move(to);
  }
  const json out = {{"id", x.id},
                    {"type", inventory_type},
                    {"digestAlgorithm", "sha512"},
                    {"head", version_name(x.head())},
                    {"manifest", paths_of(x.manifest)},
                    {"versions", std::move(versions)}};
  return indented_json_text(out) + "\n";
}

caf::expected<inventory> read_inventory(std::string_view text) {
  try {
    return parse(text);
  } catch (const json::exception& problem) {
    return damaged(std::string{"cannot be read: "} + problem.what());
  }
}

std::string object_folder(const std::string& id) {
  const auto digest = sha256_hex(id);
  return digest.substr(0, 3) + "/" + digest.substr(3, 3) + "/"
         + digest.substr(6, 3) + "/" + digest;
}

} // namespace depositd::ocfl
