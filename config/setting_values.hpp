#pragma once

// Readers of single values. Each says in words what it wanted.

#include "config/settings.hpp"

#include "messages/values/words.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace depositd {

/// Puts a value where it belongs, or says why not (without key and origin).
using setting_reader =
  std::function<caf::error(depositd_settings&, const given_setting&)>;

/// `ec::bad_setting` with a text.
caf::error bad_setting(std::string text);

caf::error read_number(const given_setting& x, std::uint32_t min,
                       std::uint32_t max, std::uint32_t& out);

/// A number, or "none" for `no_cap`.
caf::error read_cap(const given_setting& x, std::uint32_t& out);

caf::error read_flag(const given_setting& x, bool& out);
caf::error read_text(const given_setting& x, std::string& out);
caf::error read_endpoint(const given_setting& x, endpoint& out);

/// As many of them at most; ports are above 0.
caf::error read_endpoints(const given_setting& x, std::size_t max,
                          std::vector<endpoint>& out);

/// A list, each entry of which is a name, or one text with commas or spaces
/// between names.
caf::error read_names(const given_setting& x, std::vector<std::string>& out);

/// One of the words; `out` is its value.
template <class T>
caf::error read_word(const given_setting& x,
                     const std::vector<std::pair<const char*, T>>& words,
                     T& out) {
  std::string known;
  for (const auto& [word, value] : words) {
    if (!x.list && !x.empty && x.values.front() == word) {
      out = value;
      return caf::none;
    }
    known += known.empty() ? "" : ", ";
    known += word;
  }
  return bad_setting("must be one of " + known);
}

/// One of the words of an enumeration.
template <class Enum>
caf::error read_word(const given_setting& x, Enum& out) {
  std::vector<std::pair<const char*, Enum>> words;
  for (const auto& [value, text] : words_of<Enum>)
    words.emplace_back(text.data(), value);
  return read_word(x, words, out);
}

} // namespace depositd
