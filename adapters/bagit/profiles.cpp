#include "adapters/bagit/profiles.hpp"

#include "adapters/stores/files/file.hpp"
#include "messages/values/json_text.hpp"
#include "messages/values/lower_case.hpp"

#include <algorithm>
#include <utility>

#include <nlohmann/json.hpp>

namespace depositd::bagit {

namespace {

using json = nlohmann::json;

constexpr std::size_t profile_bytes_max = std::size_t{1024} * 1024;

/// Thrown and caught in this file.
struct wrong {
  std::string text;
};

const json& need(const json& in, const char* name) {
  const auto found = in.find(name);
  if (found == in.end())
    throw wrong{std::string{name} + " is missing"};
  return *found;
}

std::string text_at(const json& in, const char* name, bool needed) {
  const auto found = in.find(name);
  if (found == in.end() && !needed)
    return {};
  const auto& value = need(in, name);
  if (!value.is_string())
    throw wrong{std::string{name} + " must be a text"};
  return value.get<std::string>();
}

bool flag_at(const json& in, const char* name, bool otherwise) {
  const auto found = in.find(name);
  if (found == in.end())
    return otherwise;
  // The specification's own examples have both.
  if (found->is_string() && (*found == "true" || *found == "false"))
    return *found == "true";
  if (!found->is_boolean())
    throw wrong{std::string{name} + " must be true or false"};
  return found->get<bool>();
}

std::vector<std::string> list_at(const json& in, const char* name) {
  const auto found = in.find(name);
  std::vector<std::string> out;
  if (found == in.end())
    return out;
  if (!found->is_array())
    throw wrong{std::string{name} + " must be a list"};
  for (const auto& x : *found) {
    if (!x.is_string())
      throw wrong{std::string{name} + " must be a list of texts"};
    out.push_back(x.get<std::string>());
  }
  return out;
}

std::vector<tag_rule> rules_of(const json& from, const std::string& where) {
  if (!from.is_object())
    throw wrong{where + " must be an object"};
  std::vector<tag_rule> out;
  for (const auto& [label, says] : from.items()) {
    if (!says.is_object())
      throw wrong{where + "." + label + " must be an object"};
    tag_rule rule;
    rule.label = label;
    rule.required = flag_at(says, "required", false);
    rule.repeatable = flag_at(says, "repeatable", true);
    rule.empty_ok = flag_at(says, "emptyOk", true);
    rule.values = list_at(says, "values");
    out.push_back(std::move(rule));
  }
  return out;
}

/// "APTrust-Info" stands for aptrust-info.txt.
std::vector<tag_file_rules> other_info(const json& from) {
  if (!from.is_array())
    throw wrong{"Other-Info must be a list"};
  std::vector<tag_file_rules> out;
  for (const auto& x : from) {
    if (!x.is_object())
      throw wrong{"Other-Info must be a list of objects"};
    for (const auto& [name, tags] : x.items())
      out.push_back({name.ends_with(".txt") ? name : lower_case(name) + ".txt",
                     rules_of(tags, name)});
  }
  return out;
}

serialization_rule serialization_of(const json& from) {
  const auto text = text_at(from, "Serialization", false);
  if (text.empty() || text == "optional")
    return serialization_rule::optional;
  if (text == "required")
    return serialization_rule::required;
  if (text == "forbidden")
    return serialization_rule::forbidden;
  throw wrong{"Serialization must be forbidden, optional or required"};
}

/// What is required has to be allowed.
void check_allowed(const std::vector<std::string>& required,
                   const std::vector<std::string>& allowed, const char* what) {
  for (const auto& x : required)
    if (!allowed.empty()
        && std::find(allowed.begin(), allowed.end(), x) == allowed.end())
      throw wrong{std::string{what} + " requires " + x
                  + ", which is not allowed"};
}

profile read_checked(const json& from) {
  if (!from.is_object())
    throw wrong{"a profile is an object"};
  const auto& about = need(from, "BagIt-Profile-Info");
  if (!about.is_object())
    throw wrong{"BagIt-Profile-Info must be an object"};
  profile out;
  out.identifier = text_at(about, "BagIt-Profile-Identifier", true);
  out.name = text_at(about, "Short-Name", false);
  out.other_identifiers = list_at(about, "Other-Identifiers");
  out.version = text_at(about, "Version", true);
  out.serialization = serialization_of(from);
  out.media_types = list_at(from, "Accept-Serialization");
  out.bagit_versions = list_at(from, "Accept-BagIt-Version");
  out.fetch_allowed = flag_at(from, "Allow-Fetch.txt", true);
  out.fetch_required = flag_at(from, "Fetch.txt-Required", false);
  out.data_empty = flag_at(from, "Data-Empty", false);
  out.manifests_required = list_at(from, "Manifests-Required");
  out.manifests_allowed = list_at(from, "Manifests-Allowed");
  out.tag_manifests_required = list_at(from, "Tag-Manifests-Required");
  out.tag_manifests_allowed = list_at(from, "Tag-Manifests-Allowed");
  out.tag_files_required = list_at(from, "Tag-Files-Required");
  out.tag_files_allowed = list_at(from, "Tag-Files-Allowed");
  out.payload_required = list_at(from, "Payload-Files-Required");
  out.payload_allowed = list_at(from, "Payload-Files-Allowed");
  if (const auto found = from.find("Bag-Info"); found != from.end())
    out.bag_info = rules_of(*found, "Bag-Info");
  if (const auto found = from.find("Other-Info"); found != from.end())
    out.other_info = other_info(*found);
  check_allowed(out.manifests_required, out.manifests_allowed, "Manifests");
  check_allowed(out.tag_manifests_required, out.tag_manifests_allowed,
                "Tag-Manifests");
  if (out.fetch_required && !out.fetch_allowed)
    throw wrong{"Fetch.txt is required, but not allowed"};
  return out;
}

bool is_called(const profile& x, std::string_view name) {
  return !name.empty()
         && (x.identifier == name || x.name == name
             || std::find(x.other_identifiers.begin(),
                          x.other_identifiers.end(), name)
                  != x.other_identifiers.end());
}

} // namespace

caf::expected<profile> read_profile(std::string_view text) {
  if (text.size() > profile_bytes_max)
    return caf::make_error(ec::too_large,
                           "a profile has at most 1 MiB of text");
  const auto parsed = json_of(text);
  if (parsed.is_discarded())
    return caf::make_error(ec::malformed, "the profile is no JSON");
  try {
    return read_checked(parsed);
  } catch (const wrong& x) {
    return caf::make_error(ec::malformed, "the profile: " + x.text);
  }
}

caf::expected<profile_set>
profile_set::from_folder(const std::filesystem::path& folder) {
  std::error_code code;
  std::vector<std::filesystem::path> files;
  for (std::filesystem::directory_iterator at{folder, code}, end;
       !code && at != end; at.increment(code))
    if (at->path().extension() == ".json")
      files.push_back(at->path());
  if (code)
    return caf::make_error(ec::not_found, "the profiles' folder "
                                            + folder.string() + ": "
                                            + code.message());
  std::sort(files.begin(), files.end());
  profile_set out;
  for (const auto& file : files) {
    auto text = read_file(file);
    if (!text)
      return std::move(text.error());
    auto found = read_profile(*text);
    if (!found)
      return caf::make_error(ec::malformed,
                             file.string() + ": " + render(found.error()));
    if (found->name.empty())
      found->name = file.stem().string();
    if (auto failure = out.add(std::move(*found)))
      return caf::make_error(ec::malformed,
                             file.string() + ": " + render(failure));
  }
  return out;
}

caf::error profile_set::add(profile x) {
  std::vector<std::string> names = x.other_identifiers;
  names.push_back(x.identifier);
  names.push_back(x.name);
  for (const auto& name : names)
    if (find(name) != nullptr)
      return caf::make_error(ec::already_exists,
                             "there is a profile \"" + name + "\" already");
  profiles_.push_back(std::move(x));
  return {};
}

const profile* profile_set::find(std::string_view name) const {
  for (const auto& x : profiles_)
    if (is_called(x, name))
      return &x;
  return nullptr;
}

} // namespace depositd::bagit
