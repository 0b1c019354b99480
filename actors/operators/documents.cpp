#include "actors/operators/documents.hpp"

#include "messages/values/json_text.hpp"
#include "messages/values/lower_case.hpp"
#include "messages/values/time_text.hpp"
#include "messages/values/words.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace depositd::operators {

namespace {

bool is_secret_name(std::string_view name) {
  static constexpr std::array<std::string_view, 9> names{
    "password", "passwd",  "pwd",    "sslpassword", "secret",
    "token",    "api_key", "apikey", "key"};
  return std::find(names.begin(), names.end(), lower_case(name))
         != names.end();
}

/// Where the value ends that begins there; ODBC quotes with braces.
std::size_t end_of_value(const std::string& address, std::size_t from,
                         bool odbc) {
  if (odbc && from < address.size() && address[from] == '{')
    from = std::min(address.find('}', from), address.size());
  return std::min(address.find_first_of(odbc ? ";" : "&#", from),
                  address.size());
}

std::string without_login(std::string address) {
  const auto scheme = address.find("://");
  if (scheme == address.npos)
    return address;
  const auto begin = scheme + 3;
  const auto end =
    std::min(address.find_first_of("/?#", begin), address.size());
  const auto at = address.rfind('@', end);
  if (at != address.npos && at >= begin && at < end)
    address.replace(begin, at - begin, "***");
  return address;
}

} // namespace

std::string to_text(const document& x) {
  return json_text(x);
}

std::string shown(const std::string& text) {
  return ascii_json_text(document(text.substr(0, 100)));
}

document cap_or_null(std::uint64_t value) {
  return value >= no_cap ? document(nullptr) : document(value);
}

document text_or_null(const std::string& x) {
  return x.empty() ? document(nullptr) : document(x);
}

std::string without_secrets(std::string address) {
  auto out = without_login(std::move(address));
  const bool odbc = out.starts_with("odbc:");
  for (auto at = out.find('='); at != out.npos; at = out.find('=', at + 1)) {
    const auto before = out.find_last_of(odbc ? ":;" : "?&", at);
    if (before == out.npos)
      continue;
    auto name = out.substr(before + 1, at - before - 1);
    std::erase(name, ' ');
    if (!is_secret_name(std::move(name)))
      continue;
    const auto end = end_of_value(out, at + 1, odbc);
    out.replace(at + 1, end - at - 1, "***");
  }
  return out;
}

document time_or_null(micros at) {
  return at == never ? document(nullptr) : document(format_utc(at));
}

document settings_document(const std::string& queue, const queue_settings& x) {
  return {{"name", queue},
          {"kind", word(x.kind)},
          {"suspended", x.suspended},
          {"allocation", x.allocation},
          {"concurrency", cap_or_null(x.concurrency)},
          {"pending_limit", cap_or_null(x.pending_limit)},
          {"priority_mode", word(x.priority)},
          {"dedup", word(x.dedup)},
          {"attempts_max", cap_or_null(x.attempts_max)},
          {"retry_delay_ms", x.retry_delay_ms},
          {"retry_delay_ms_max", x.retry_delay_ms_max}};
}

document queue_document(const queue_report& x) {
  auto out = settings_document(x.name, x.settings);
  out["ready"] = x.ready;
  out["in_flight"] = x.in_flight;
  out["users"] = x.users;
  out["eligible_users"] = x.eligible_users;
  out["processors"] = x.processors;
  out["handed_out"] = x.handed_out;
  out["finished"] = x.finished;
  return out;
}

} // namespace depositd::operators
