#include "config/shown_settings.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>

namespace depositd {

namespace {

/// Ends of keys whose values nobody is shown. Files of secrets end otherwise.
constexpr std::array<std::string_view, 6> secret_ends{
  "password", "access_key", "secret_key", "webhook_key", "token", "secret"};

/// An address may have a password in either of two forms.
bool has_login(const std::string& value) {
  if (value.find("password") != std::string::npos)
    return true;
  const auto at = value.find("://");
  return at != std::string::npos && value.find('@', at) != std::string::npos;
}

bool is_secret(const given_setting& x) {
  return std::any_of(secret_ends.begin(), secret_ends.end(),
                     [&](auto end) { return x.key.ends_with(end); })
         || std::any_of(x.values.begin(), x.values.end(), has_login);
}

std::string text_of(const given_setting& x) {
  std::string out;
  for (const auto& value : x.values)
    out += (out.empty() ? "" : ", ") + value;
  return out;
}

} // namespace

std::vector<operators::shown_setting>
shown_settings(const depositd_settings& settings) {
  std::map<std::string, operators::shown_setting> last;
  for (const auto& x : settings.given.all)
    if (!x.empty)
      last[x.key] = {x.key, is_secret(x) ? "***" : text_of(x), x.origin};
  std::vector<operators::shown_setting> out;
  for (auto& [key, x] : last)
    out.push_back(std::move(x));
  return out;
}

} // namespace depositd
