#pragma once

// Statements made of lists of columns while the program is compiled.

#include "adapters/stores/rows/columns.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>

namespace depositd::rows {

/// A text that is a constant of the program.
template <std::size_t Size>
struct constant_text {
  std::array<char, Size> bytes{};

  constexpr operator std::string_view() const noexcept {
    return {bytes.data(), Size};
  }
};

/// What `make`, a lambda without captures, returns.
template <class Make>
consteval auto constant(Make make) {
  constant_text<Make{}().size()> out;
  std::ranges::copy(make(), out.bytes.begin());
  return out;
}

/// The texts one behind the other.
constexpr std::string joined(std::initializer_list<std::string_view> texts) {
  std::string out;
  for (const auto text : texts)
    out += text;
  return out;
}

/// A list of the fields, each as the pattern has it: {} is its quoted name.
constexpr std::string listed(const fields& all,
                             std::string_view pattern = "{}") {
  std::string out;
  for (const auto& x : all) {
    if (!out.empty())
      out += ", ";
    for (std::size_t at = 0; at < pattern.size(); ++at)
      if (pattern[at] == '{' && ++at < pattern.size())
        out += joined({"\"", x.name, "\""});
      else
        out += pattern[at];
  }
  return out;
}

/// A number from 1 to 99 in digits.
constexpr std::string digits(std::size_t number) {
  std::string out;
  if (number > 9)
    out += static_cast<char>('0' + number / 10);
  return out + static_cast<char>('0' + number % 10);
}

/// A list of as many parameters, from the first on: "$3, $4".
constexpr std::string parameters(char sign, std::size_t count,
                                 std::size_t first = 1) {
  std::string out;
  for (auto at = first; at < first + count; ++at)
    out += joined({at == first ? "" : ", ", {&sign, 1}, digits(at)});
  return out;
}

/// Puts one row whose values are the parameters; the sign is what parameters of
/// the store begin with.
constexpr std::string insert(std::string_view table, const fields& all,
                             char sign) {
  return joined({"INSERT INTO ", table, " (", listed(all), ") VALUES (",
                 parameters(sign, all.size()), ")"});
}

} // namespace depositd::rows
