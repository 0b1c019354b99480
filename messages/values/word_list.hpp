#pragma once

// How enumerators have words: lists, and what is done with them.

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace depositd {

/// Each enumerator with its word.
template <class Enum, std::size_t Count>
using word_list = std::array<std::pair<Enum, std::string_view>, Count>;

template <class Enum>
inline constexpr word_list<Enum, 0> words_of = {};

template <class Enum>
std::string word(Enum x) {
  for (const auto& [value, text] : words_of<Enum>)
    if (value == x)
      return std::string{text};
  return "";
}

/// Null if nothing is called so.
template <class Enum>
const Enum* find_word(std::string_view text) {
  for (const auto& entry : words_of<Enum>)
    if (entry.second == text)
      return &entry.first;
  return nullptr;
}

template <class Enum>
std::vector<std::string> all_words() {
  std::vector<std::string> out;
  for (const auto& entry : words_of<Enum>)
    out.emplace_back(entry.second);
  return out;
}

/// "a, b or c", for refusals and help.
inline std::string any_of(const std::vector<std::string>& words) {
  std::string out;
  for (std::size_t i = 0; i < words.size(); ++i)
    out += (i == 0 ? "" : i + 1 == words.size() ? " or " : ", ") + words[i];
  return out;
}

} // namespace depositd
