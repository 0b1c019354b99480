#include "adapters/sources/sql/scrubber.hpp"

#include "adapters/sources/records/records.hpp"
#include "messages/values/hex.hpp"
#include "messages/values/lower_case.hpp"

#include <algorithm>
#include <cstdint>

namespace depositd::sources::sql {

namespace {

constexpr std::size_t text_bytes_max = 1'000;
/// Parts of a password that are shorter tell nothing.
constexpr std::size_t part_bytes_min = 3;

std::string percent_decoded(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    std::uint8_t byte = 0;
    if (text[at] == '%' && take_hex(text.substr(at + 1, 2), byte)
        && text.size() - at > 2) {
      out += static_cast<char>(byte);
      at += 2;
    } else {
      out += text[at];
    }
  }
  return out;
}

/// As it is, decoded, and what is left of it where a reader of the URL took a
/// character in it for the end.
void add_secret(std::vector<std::string>& to, std::string_view secret) {
  if (secret.empty())
    return;
  to.emplace_back(secret);
  to.push_back(percent_decoded(secret));
  while (!secret.empty()) {
    const auto end = std::min(secret.find_first_of("@/:?#[]&"), secret.size());
    if (end >= part_bytes_min)
      to.emplace_back(secret.substr(0, end));
    secret.remove_prefix(std::min(end + 1, secret.size()));
  }
}

/// The password of "scheme://user:password@host". The last '@' counts: one in
/// the password should have been encoded.
void add_user_info(std::vector<std::string>& to, std::string_view url) {
  const auto scheme = url.find("://");
  if (scheme == url.npos)
    return;
  url.remove_prefix(scheme + 3);
  const auto at = url.rfind('@');
  const auto colon = url.find(':');
  if (at != url.npos && colon < at)
    add_secret(to, url.substr(colon + 1, at - colon - 1));
}

/// Values of "password=...&" and "PWD={...};".
void add_parameters(std::vector<std::string>& to, std::string_view address) {
  std::string words;
  for (const char c : address)
    words += lower_case(c);
  for (const std::string_view name :
       {"password=", "pwd=", "password =", "pwd ="})
    for (auto at = words.find(name); at != words.npos;
         at = words.find(name, at + 1)) {
      auto value = address.substr(at + name.size());
      value.remove_prefix(std::min(value.find_first_not_of(' '), value.size()));
      const bool braced = value.starts_with('{');
      const auto end = value.find_first_of(braced ? "}" : ";&");
      value = value.substr(0, end);
      if (braced)
        value.remove_prefix(1);
      add_secret(to, value);
    }
}

} // namespace

scrubber::scrubber(std::string_view address) {
  add_user_info(secrets_, address);
  add_parameters(secrets_, address);
  std::sort(secrets_.begin(), secrets_.end(),
            [](const std::string& x, const std::string& y) {
              return x.size() != y.size() ? x.size() > y.size() : x < y;
            });
  secrets_.erase(std::unique(secrets_.begin(), secrets_.end()), secrets_.end());
}

std::string scrubber::operator()(std::string_view text) const {
  std::string out{text};
  for (const auto& secret : secrets_)
    for (auto at = out.find(secret); at != out.npos;
         at = out.find(secret, at + 3))
      out.replace(at, secret.size(), "***");
  out = readable(std::string_view{out}.substr(0, text_bytes_max));
  for (auto& c : out)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
      c = ' ';
  const auto last = out.find_last_not_of(' ');
  out.resize(last == out.npos ? 0 : last + 1);
  return out;
}

} // namespace depositd::sources::sql
