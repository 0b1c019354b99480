#pragma once

// A list as one parameter of a statement, for json_each.

#include <concepts>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

namespace depositd::sqlite {

template <class T>
  requires std::integral<T> || std::is_enum_v<T>
std::string json_element(T number) {
  return std::to_string(static_cast<std::int64_t>(number));
}

inline std::string json_element(const std::string& text) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string out{'"'};
  for (const auto c : text)
    if (const auto byte = static_cast<unsigned char>(c); byte < 0x20)
      out += std::string{"\\u00"} + digits[byte >> 4] + digits[byte & 15];
    else
      (c == '"' || c == '\\' ? out += '\\' : out) += c;
  out += '"';
  return out;
}

/// Numbers or texts, as a JSON array.
template <class T>
std::string json_list(const std::vector<T>& values) {
  std::string out{'['};
  for (const auto& x : values) {
    if (out.size() > 1)
      out += ',';
    out += json_element(x);
  }
  out += ']';
  return out;
}

} // namespace depositd::sqlite
