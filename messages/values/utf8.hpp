#pragma once

// UTF-8, as strictly as Unicode has it: overlong forms, surrogates and what
// lies behind the last code point are invalid.

#include <cstddef>
#include <string>
#include <string_view>

namespace depositd {

/// Offset of the first byte that does not belong to valid UTF-8, or npos.
std::size_t find_invalid_utf8(std::string_view text);

struct utf8_character {
  char32_t code = 0;
  std::size_t bytes = 0; ///< 0: the text does not begin with a character
};

/// The first character of a text that is not empty.
utf8_character first_character(std::string_view text);

/// Nothing for what is no character, half of a surrogate pair for example.
void append_utf8(std::string& out, char32_t code);

} // namespace depositd
