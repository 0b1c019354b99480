#include "config/shown_settings.hpp"

#include "actors/operators/documents.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>

namespace depositd {

namespace {

/// Ends of keys whose values nobody is shown. Files of secrets end otherwise.
constexpr std::array<std::string_view, 6> secret_ends{
  "password", "access_key", "secret_key", "webhook_key", "token", "secret"};

/// What librdkafka calls its own: ends of the names in `kafka.options`.
constexpr std::array<std::string_view, 5> secret_options{
  "password", "secret", "key.pem", "ssl_key", "oauthbearer.config"};

template <std::size_t N>
bool ends_with_any(std::string_view name,
                   const std::array<std::string_view, N>& ends) {
  return std::any_of(ends.begin(), ends.end(),
                     [&](auto end) { return name.ends_with(end); });
}

/// An address may have a password in several forms.
bool has_secret(const std::string& value) {
  return value.find("password") != std::string::npos
         || without_secrets(value) != value
         || ends_with_any(value.substr(0, value.find('=')), secret_options);
}

bool is_secret(const given_setting& x) {
  return ends_with_any(x.key, secret_ends)
         || std::any_of(x.values.begin(), x.values.end(), has_secret);
}

/// Of keys whose values are shown in part.
std::string shown_part(const std::string& key, const std::string& value) {
  if (key == "reviews.webhook")
    return without_query(value);
  if (key.starts_with("sources.") && key.ends_with(".command"))
    return without_arguments(value);
  return value;
}

std::string text_of(const given_setting& x) {
  std::string out;
  for (const auto& value : x.values)
    out += (out.empty() ? "" : ", ") + shown_part(x.key, value);
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
