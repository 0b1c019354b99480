#include "messages/values/shown_addresses.hpp"

#include "messages/values/lower_case.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <string_view>
#include <system_error>
#include <utility>

namespace depositd {

namespace {

bool is_secret_name(std::string_view name) {
  static constexpr std::array<std::string_view, 4> names{"pwd", "key", "sig",
                                                         "auth"};
  // "access_token", "sslpassword", "X-Amz-Signature", ...
  static constexpr std::array<std::string_view, 8> parts{
    "password", "passwd", "secret",  "token",
    "apikey",   "_key",   "api-key", "signature"};
  const auto given = lower_case(name);
  return std::find(names.begin(), names.end(), given) != names.end()
         || std::any_of(parts.begin(), parts.end(), [&](const auto& x) {
              return given.find(x) != given.npos;
            });
}

/// How an address gives things by name: in the query of a URL, with ODBC
/// between semicolons, else as libpq's words ("host=h password=p").
struct address_form {
  std::string_view before;
  std::string_view after;
  std::string_view quotes; // a pair that a value may stand in
};

address_form form_of(const std::string& address) {
  if (address.starts_with("odbc:"))
    return {":;", ";", "{}"};
  if (address.find("://") != address.npos)
    return {"?&", "&#", {}};
  return {" :?&", " ", "''"};
}

/// Where the value ends that begins there. Of quotes the last one counts: there
/// are ways to have one in a value.
std::size_t end_of_value(const std::string& address, std::size_t from,
                         const address_form& form) {
  if (!form.quotes.empty() && from < address.size()
      && address[from] == form.quotes.front()) {
    const auto last = address.rfind(form.quotes.back());
    from = last > from ? last : address.size();
  }
  return std::min(address.find_first_of(form.after, from), address.size());
}

/// No name that matters is longer; and what strangers send may be one name of a
/// megabyte, with an "=" at each of its places.
constexpr std::size_t name_bytes_max = 128;

/// The name that is given a value there, or its end.
std::string name_before(const std::string& address, std::size_t equals,
                        const address_form& form) {
  auto end = equals;
  while (end > 0 && address[end - 1] == ' ')
    --end;
  const auto least = end - std::min(end, name_bytes_max);
  auto begin = end;
  while (begin > least
         && form.before.find(address[begin - 1]) == form.before.npos)
    --begin;
  auto out = address.substr(begin, end - begin);
  std::erase(out, ' ');
  return out;
}

/// Where a login ends, or npos. One with a "/", "?" or "#" that nobody has
/// encoded ends what servers take for the host, so nothing gets in by it; but
/// it is a login still.
std::size_t end_of_login(const std::string& address, std::size_t begin) {
  const auto end =
    std::min(address.find_first_of("/?#", begin), address.size());
  const auto host = std::string_view{address}.substr(begin, end - begin);
  if (address.starts_with("postgres"))
    return address.rfind('@');
  if (host.find('@') != host.npos)
    return begin + host.rfind('@');
  const auto colon = host.rfind(':');
  const bool port = colon == host.npos || host.ends_with(']')
                    || host.find_first_not_of("0123456789", colon + 1)
                         == host.npos;
  return port ? address.npos : address.rfind('@');
}

std::string without_login(std::string address) {
  const auto scheme = address.find("://");
  if (scheme == address.npos)
    return address;
  const auto begin = scheme + 3;
  const auto at = end_of_login(address, begin);
  if (at != address.npos && at >= begin)
    address.replace(begin, at - begin, "***");
  return address;
}

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/// A character of a text as it is meant, and the bytes that it takes there.
struct written {
  char is = 0;
  std::size_t bytes = 1;
};

/// The code in these digits, if it is one of ASCII that is seen; else 0.
char seen_character(std::string_view digits, int base) {
  unsigned code = 0;
  const auto* end = digits.data() + digits.size();
  const auto [stop, wrong] = std::from_chars(digits.data(), end, code, base);
  return stop == end && wrong == std::errc{} && code > ' ' && code < 0x7f
           ? static_cast<char>(code)
           : '\0';
}

/// Behind a "\\": "\/", "\u0026".
written of_json(std::string_view text) {
  if (text.starts_with("\\/"))
    return {'/', 2};
  if (!text.starts_with("\\u") || text.size() < 6)
    return {'\\'};
  const char is = seen_character(text.substr(2, 4), 16);
  return is != 0 ? written{is, 6} : written{'\\'};
}

/// Behind an "&": "&amp;", "&#38;", "&#x26;".
written of_xml(std::string_view text) {
  constexpr std::size_t bytes_max = 12;
  const auto end = text.substr(0, bytes_max).find(';');
  if (end == text.npos)
    return {'&'};
  const auto name = text.substr(1, end - 1);
  char is = name == "amp" ? '&' : name == "lt" ? '<' : name == "gt" ? '>' : 0;
  if (name.starts_with("#x"))
    is = seen_character(name.substr(2), 16);
  else if (name.starts_with('#'))
    is = seen_character(name.substr(1), 10);
  return is != 0 ? written{is, end + 1} : written{'&'};
}

written first_of(std::string_view text) {
  if (text.front() == '\\')
    return of_json(text);
  return text.front() == '&' ? of_xml(text) : written{text.front()};
}

/// Where a scheme ends, however its "://" is written; npos: there is none.
std::size_t scheme_end(std::string_view text) {
  for (auto at = text.find(':'); at != text.npos;
       at = text.find(':', at + 1)) {
    auto rest = text.substr(at + 1);
    int slashes = 0;
    while (slashes < 2 && !rest.empty()) {
      const auto next = first_of(rest);
      if (next.is != '/')
        break;
      rest.remove_prefix(next.bytes);
      ++slashes;
    }
    if (slashes == 2)
      return at;
  }
  return text.npos;
}

struct found_address {
  std::string address;   ///< as it is meant
  std::size_t bytes = 0; ///< of the text
};

/// As far as nothing comes that is in no address, and ends a text around it.
found_address address_at(std::string_view text, std::size_t begin) {
  found_address out;
  text.remove_prefix(begin);
  while (!text.empty()) {
    const auto next = first_of(text);
    if (std::string_view{" \t\r\n\"'<>\\"}.find(next.is)
        != std::string_view::npos)
      break;
    out.address += next.is;
    out.bytes += next.bytes;
    text.remove_prefix(next.bytes);
  }
  return out;
}

} // namespace

std::string without_secrets(std::string address) {
  address = without_login(std::move(address));
  const auto form = form_of(address);
  std::string out;
  std::size_t kept = 0; // of the address is in `out`, or hidden
  for (auto at = address.find('='); at != address.npos;
       at = address.find('=', std::max(at + 1, kept))) {
    if (!is_secret_name(name_before(address, at, form)))
      continue;
    const auto value =
      std::min(address.find_first_not_of(' ', at + 1), address.size());
    out.append(address, kept, at + 1 - kept) += "***";
    kept = end_of_value(address, value, form);
  }
  return out.append(address, kept, address.npos);
}

std::string without_secrets_in(std::string_view text) {
  std::string out;
  for (auto at = scheme_end(text); at != text.npos; at = scheme_end(text)) {
    auto begin = at;
    while (begin > 0 && is_letter(text[begin - 1]))
      --begin;
    const auto found = address_at(text, begin);
    out += text.substr(0, begin);
    const auto shown = without_secrets(found.address);
    out += shown == found.address ? text.substr(begin, found.bytes)
                                  : std::string_view{shown};
    text.remove_prefix(begin + found.bytes);
  }
  return out += text;
}

std::string without_query(std::string address) {
  auto out = without_secrets(std::move(address));
  const auto query = out.find('?');
  if (query != out.npos)
    out.replace(query + 1, out.npos, "***");
  return out;
}

std::string without_arguments(const std::string& command) {
  const auto begin = command.find_first_not_of(" \t\r\n");
  const auto end = command.find_first_of(" \t\r\n", begin);
  if (begin == command.npos || end == command.npos
      || command.find_first_not_of(" \t\r\n", end) == command.npos)
    return command;
  return command.substr(begin, end - begin) + " ***";
}

} // namespace depositd
