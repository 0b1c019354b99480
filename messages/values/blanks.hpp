#pragma once

// Blanks in what people write down: batch ids, DOIs, names of fields.

#include <string>
#include <string_view>

namespace depositd {

/// Blank as XML has it.
inline bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/// Without any of these at both ends.
inline std::string_view trimmed(std::string_view text,
                                std::string_view blanks = " \t") noexcept {
  const auto first = text.find_first_not_of(blanks);
  return first == text.npos
           ? std::string_view{}
           : text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

/// Without blanks around it, with single blanks inside.
inline std::string squeeze(std::string_view text) {
  std::string out;
  bool blank = false;
  for (const auto c : text) {
    if (is_blank(c)) {
      blank = !out.empty();
      continue;
    }
    if (blank)
      out += ' ';
    blank = false;
    out += c;
  }
  return out;
}

} // namespace depositd
