#pragma once

// JSON strings: what is inside their quotes.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace depositd::emodb {

/// The first byte in a string that is not just text: quote, backslash or
/// control character; `end` if there is none.
const char* find_special(const char* at, const char* end);

/// The UTF-16 code unit that four hexadecimal digits name; -1 if there are not
/// as many.
int code_unit(const char* at, const char* end);

/// Halves of a surrogate pair.
bool is_high(int unit);
bool is_low(int unit);

/// Appends a code point as UTF-8.
void append_utf8(std::string& out, std::uint32_t code);

/// Appends what stands in a string for a code unit that is half of no pair.
void append_in_string(std::string& out, int unit);

/// Appends the text of a string token, checked and without its quotes. Half of
/// a surrogate pair becomes U+FFFD.
void unescape(std::string& out, const char* at, const char* end);

/// The text as a JSON string, with its quotes. Must be UTF-8.
void append_json_string(std::string& out, std::string_view text);

/// Whether the bytes are UTF-8.
bool is_utf8(std::string_view bytes);

} // namespace depositd::emodb
