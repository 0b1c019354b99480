#pragma once

// Letters of ASCII without their case; all other bytes stay as they are.

#include <algorithm>
#include <string>
#include <string_view>

namespace depositd {

constexpr char lower_case(char c) noexcept {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

inline std::string lower_case(std::string_view text) {
  std::string out{text};
  for (auto& c : out)
    c = lower_case(c);
  return out;
}

inline bool same_but_for_case(std::string_view x, std::string_view y) {
  return std::equal(
    x.begin(), x.end(), y.begin(), y.end(),
    [](char a, char b) { return lower_case(a) == lower_case(b); });
}

} // namespace depositd
