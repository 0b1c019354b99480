#include "adapters/doors/http/text.hpp"

#include "messages/values/blanks.hpp"
#include "messages/values/hex.hpp"
#include "messages/values/lower_case.hpp"

#include <algorithm>

namespace depositd::http {

namespace {

std::string decode(std::string_view text, bool plus_is_blank) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '%' && i + 2 < text.size()) {
      unsigned char byte = 0;
      if (take_hex(text.substr(i + 1, 2), byte)) {
        out += static_cast<char>(byte);
        i += 2;
        continue;
      }
    }
    out += c == '+' && plus_is_blank ? ' ' : c;
  }
  return out;
}

// Reads a quoted or bare value that starts at `i`; leaves `i` behind it.
std::string read_value(std::string_view text, std::size_t& i) {
  std::string out;
  if (i < text.size() && text[i] == '"') {
    for (++i; i < text.size() && text[i] != '"'; ++i) {
      if (text[i] == '\\' && i + 1 < text.size() && text[i + 1] == '"')
        ++i;
      out += text[i];
    }
    i = std::min(text.find(';', i), text.size());
    return out;
  }
  const auto end = std::min(text.find(';', i), text.size());
  out = trimmed(text.substr(i, end - i));
  i = end;
  return out;
}

} // namespace

std::string percent_decode(std::string_view text) {
  return decode(text, false);
}

std::string form_decode(std::string_view text) {
  return decode(text, true);
}

parameters parse_urlencoded(std::string_view text, std::size_t count_max) {
  parameters out;
  while (!text.empty() && out.size() < count_max) {
    const auto end = std::min(text.find('&'), text.size());
    const auto pair = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (pair.empty())
      continue;
    const auto equals = pair.find('=');
    const auto name = pair.substr(0, equals);
    const auto value = equals == std::string_view::npos
                         ? std::string_view{}
                         : pair.substr(equals + 1);
    out.emplace_back(form_decode(name), form_decode(value));
  }
  return out;
}

const std::string* find(const parameters& where, std::string_view name) {
  for (const auto& x : where)
    if (x.first == name)
      return &x.second;
  return nullptr;
}

bool is_token(std::string_view text) noexcept {
  constexpr std::string_view marks = "!#$%&'*+-.^_`|~";
  return !text.empty() && std::all_of(text.begin(), text.end(), [&](char c) {
    const char l = lower_case(c);
    return (l >= 'a' && l <= 'z') || (c >= '0' && c <= '9')
           || marks.find(c) != marks.npos;
  });
}

bool same_token(std::string_view a, std::string_view b) noexcept {
  return same_but_for_case(a, b);
}

header_value parse_header_value(std::string_view text) {
  header_value out;
  std::size_t i = std::min(text.find(';'), text.size());
  out.token = lower_case(trimmed(text.substr(0, i)));
  while (i < text.size()) {
    ++i; // the semicolon
    const auto equals = text.find_first_of("=;", i);
    if (equals == std::string_view::npos)
      break;
    const auto name = lower_case(trimmed(text.substr(i, equals - i)));
    i = equals;
    if (text[i] == ';')
      continue;
    ++i;
    while (i < text.size() && (text[i] == ' ' || text[i] == '\t'))
      ++i;
    out.fields.emplace_back(name, read_value(text, i));
  }
  return out;
}

std::string escape_html(std::string_view text) {
  constexpr std::string_view special = "&<>\"'";
  constexpr const char* entities[] = {"&amp;", "&lt;", "&gt;", "&quot;",
                                      "&#39;"};
  std::string out;
  for (const char c : text)
    if (const auto found = special.find(c); found != special.npos)
      out += entities[found];
    else
      out += c;
  return out;
}

std::string printable(std::string_view text) {
  std::string out;
  for (const char c : text.substr(0, 200)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7f && c != '"' && c != '\\') {
      out += c;
      continue;
    }
    out += "\\x";
    append_hex(out, c);
  }
  return out;
}

} // namespace depositd::http
