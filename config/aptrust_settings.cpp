#include "config/aptrust_settings.hpp"

#include "adapters/processing/exec/child.hpp"
#include "config/s3_settings.hpp"
#include "config/setting_fields.hpp"

#include "messages/values/names.hpp"

#include <filesystem>
#include <system_error>

#include <unistd.h>

namespace depositd {

namespace {

using setting_fields::number;
using setting_fields::text;

constexpr std::string_view receiving = "aptrust.receiving";
constexpr std::size_t receiving_max = 1'000;

struct receiving_key {
  const char* name;
  std::function<caf::error(receiving_settings&, const given_setting&)> read;
};

const std::vector<receiving_key>& receiving_table() {
  using place = receiving_settings;
  static const auto table = [] {
    std::vector<receiving_key> out{
      {"kind",
       [](place& to, const given_setting& x) {
         return read_word<receiving_kind>(
           x, {{"folder", receiving_kind::folder}, {"s3", receiving_kind::s3}},
           to.kind);
       }},
      {"path", text(&place::path)},
      {"user", text(&place::user)},
      {"collection", text(&place::collection)},
      {"interval_s", number(1, 86'400, &place::interval_s)},
    };
    add_s3_keys(&place::s3, [&](const char* name, auto read) {
      out.push_back({name, read});
    });
    return out;
  }();
  return table;
}

setting_fault check_receiving(const std::string& name,
                              const receiving_settings& x) {
  const auto key = std::string{receiving} + "." + name + ".";
  for (const auto& [field, value] :
       {std::pair{"user", receiving_user(name, x)},
        std::pair{"collection", receiving_collection(name, x)}})
    if (!legal_user_name(value))
      return {key + field, "\"" + value.substr(0, 100) + "\" is no such name"};
  return check_place(key, x.kind == receiving_kind::s3, x.path, x.s3,
                     "the folder of this place");
}

/// Whether it can be started, by its name or its path.
bool is_program(const std::string& name) {
  const auto file = exec::find_program(name);
  std::error_code ignored;
  return !file.empty() && std::filesystem::is_regular_file(file, ignored)
         && ::access(file.c_str(), X_OK) == 0;
}

} // namespace

std::vector<setting_key> aptrust_keys() {
  using settings = depositd_settings;
  using aptrust = aptrust_settings;
  return {
    {"aptrust.invalid_retention_days",
     number(0, 36'500, &settings::aptrust, &aptrust::invalid_retention_days)},
    {"aptrust.profiles", text(&settings::aptrust, &aptrust::profiles)},
    {"aptrust.profile", text(&settings::aptrust, &aptrust::profile)},
    {"aptrust.siegfried", text(&settings::aptrust, &aptrust::siegfried)},
  };
}

bool is_receiving_key(const given_setting& x) {
  return x.key == receiving || x.key.starts_with(std::string{receiving} + ".");
}

caf::error read_receiving(depositd_settings& out, const given_setting& x) {
  if (x.key == receiving)
    return x.empty ? caf::error{} : bad_setting("must be a list by names");
  const auto rest = x.key.substr(receiving.size() + 1);
  const auto dot = rest.rfind('.');
  const auto field = dot == std::string::npos ? "" : rest.substr(dot + 1);
  std::string known;
  for (const auto& key : receiving_table()) {
    known += (known.empty() ? "" : ", ") + std::string{key.name};
    if (field != key.name)
      continue;
    const auto name = rest.substr(0, dot);
    if (!legal_user_name(name))
      return bad_setting("\"" + name.substr(0, 64)
                         + "\" is no name of a receiving place");
    auto& place = out.aptrust.receiving[name];
    if (out.aptrust.receiving.size() > receiving_max)
      return bad_setting("there are more than "
                         + std::to_string(receiving_max));
    return key.read(place, x);
  }
  return bad_setting("there is no such key of a receiving place; known: "
                     + known);
}

setting_fault check_aptrust(const depositd_settings& x) {
  for (const auto& [name, place] : x.aptrust.receiving)
    if (auto wrong = check_receiving(name, place); !wrong.key.empty())
      return wrong;
  std::error_code ignored;
  const auto& profiles = x.aptrust.profiles;
  if (!profiles.empty() && !std::filesystem::is_directory(profiles, ignored))
    return {"aptrust.profiles", "there is no folder \"" + profiles + "\""};
  const auto& siegfried = x.aptrust.siegfried;
  if (!siegfried.empty() && !is_program(siegfried))
    return {"aptrust.siegfried", "there is no program \"" + siegfried + "\""};
  return {};
}

std::string receiving_user(const std::string& name,
                           const receiving_settings& x) {
  return x.user.empty() ? name : x.user;
}

std::string receiving_collection(const std::string& name,
                                 const receiving_settings& x) {
  return x.collection.empty() ? name : x.collection;
}

} // namespace depositd
