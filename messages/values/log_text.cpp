#include "messages/values/log_text.hpp"

#include "messages/values/hex.hpp"
#include "messages/values/utf8.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace depositd {

namespace {

/// Terminals obey also those of U+0080 to U+009F; and some readers of logs take
/// U+2028 and U+2029 for ends of lines.
bool is_plain(char32_t code) {
  return code >= 0x20 && (code < 0x7f || code > 0x9f) && code != 0x2028
         && code != 0x2029;
}

/// Each character as it is or in hexadecimal; `put` is given those of ASCII.
template <class Put>
std::string characters_of(std::string_view text, Put put) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const auto [code, found] = first_character(text);
    const auto bytes = std::max<std::size_t>(found, 1);
    const auto each = text.substr(0, bytes);
    if (found == 0 || !is_plain(code))
      for (const char byte : each) {
        out += "\\x";
        append_hex(out, byte);
      }
    else if (bytes == 1)
      put(out, each.front());
    else
      out += each;
    text.remove_prefix(bytes);
  }
  return out;
}

/// Where the text of the last field begins that may have quotes in it; npos:
/// there is none.
std::size_t begin_of_reason(std::string_view event) {
  static constexpr std::array<std::string_view, 2> marks{" reason=\"",
                                                         " text=\""};
  auto out = event.npos;
  for (const auto mark : marks)
    if (const auto at = event.find(mark); at != event.npos)
      out = std::min(out, at + mark.size());
  return out;
}

} // namespace

std::string log_text(std::string_view text) {
  return characters_of(text, [](std::string& out, char c) {
    if (c == '"' || c == '\\')
      out += '\\';
    out += c;
  });
}

std::string log_line(std::string_view event) {
  const auto line =
    characters_of(event, [](std::string& out, char c) { out += c; });
  const auto begin = begin_of_reason(line);
  const auto end = line.rfind('"');
  if (begin == line.npos || end < begin)
    return line;
  auto out = line.substr(0, begin);
  bool escaped = false;
  for (const char c : std::string_view{line}.substr(begin, end - begin)) {
    if (c == '"' && !escaped)
      out += '\\';
    escaped = c == '\\' && !escaped;
    out += c;
  }
  if (escaped)
    out += '\\';
  return out += line.substr(end);
}

} // namespace depositd
