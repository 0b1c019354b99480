#pragma once

// JSON strings: what is inside their quotes.

#include <cstdint>
#include <string>
#include <string_view>

namespace depositd::kit {

/// The first byte in a string that is not just text: quote, backslash or
/// control character; `end` if there is none.
const char* find_special(const char* at, const char* end);

/// The UTF-16 code unit that four hexadecimal digits name; -1 if there are not
/// as many.
int code_unit(const char* at, const char* end);

/// Appends what stands in a string for a character.
void append_in_string(std::string& out, char32_t code);

/// Appends `\uXXXX`, as half of a surrogate pair has to be written.
void append_code_unit(std::string& out, std::uint16_t unit);

/// The text as a JSON string, with its quotes. Must be UTF-8.
void append_json_string(std::string& out, std::string_view text);

/// Whether the bytes are UTF-8.
bool is_utf8(std::string_view bytes);

} // namespace depositd::kit
