#pragma once

// Hexadecimal digits.

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>

namespace depositd {

/// The bytes, two lower-case digits each.
std::string to_hex(std::string_view bytes);

/// Whether the text could be a SHA-256, as it is written here.
inline bool is_sha256_hex(std::string_view text) {
  return text.size() == 64
         && text.find_first_not_of("0123456789abcdef") == text.npos;
}

/// The byte in two lower-case digits.
void append_hex(std::string& out, char byte);

/// Writes so many lower-case digits. Ids of messages are made of these: what a
/// library does for bytes of unknown number costs three times as much.
inline void put_hex(char* to, std::uint64_t value, int digits) {
  while (digits-- > 0) {
    to[digits] = "0123456789abcdef"[value & 15];
    value >>= 4;
  }
}

/// Reads a number that consists of nothing but digits, of either case; false
/// if it does not, or if it has too many.
template <class Number>
bool take_hex(std::string_view digits, Number& out) {
  static_assert(std::is_unsigned_v<Number>); // else a sign would do
  const auto* end = digits.data() + digits.size();
  const auto read = std::from_chars(digits.data(), end, out, 16);
  return read.ec == std::errc{} && read.ptr == end;
}

} // namespace depositd
