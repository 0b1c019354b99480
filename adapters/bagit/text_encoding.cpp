#include "adapters/bagit/text_encoding.hpp"

#include "adapters/bagit/text_decoding.hpp"
#include "messages/values/utf8.hpp"

#include <functional>

namespace depositd::bagit {

namespace {

using take_code = std::function<bool(char32_t)>;

/// False from the first character on that is none, or is not taken.
bool each_code(std::string_view text, const take_code& take) {
  while (!text.empty()) {
    const auto next = first_character(text);
    if (next.bytes == 0 || !take(next.code))
      return false;
    text.remove_prefix(next.bytes);
  }
  return true;
}

/// Characters that are a byte each.
std::optional<std::string> in_bytes(std::string_view text, char32_t code_max) {
  std::string out;
  const bool whole = each_code(text, [&](char32_t code) {
    out += static_cast<char>(code);
    return code <= code_max;
  });
  if (!whole)
    return std::nullopt;
  return out;
}

bool says_little_endian(std::string_view encoding) {
  return encoding.ends_with("LE") || encoding.ends_with("le");
}

bool says_order(std::string_view encoding) {
  return says_little_endian(encoding) || encoding.ends_with("BE")
         || encoding.ends_with("be");
}

std::optional<std::string> in_utf16(std::string_view text,
                                    std::string_view encoding) {
  const bool little = says_little_endian(encoding);
  std::string out;
  const auto add = [&](char32_t unit) {
    const auto high = static_cast<char>(unit >> 8 & 0xff);
    const auto low = static_cast<char>(unit & 0xff);
    out += little ? low : high;
    out += little ? high : low;
  };
  if (!says_order(encoding))
    add(0xfeff);
  const bool whole = each_code(text, [&](char32_t code) {
    if (code < 0x10000) {
      add(code);
      return true;
    }
    add(0xd800 + ((code - 0x10000) >> 10));
    add(0xdc00 + ((code - 0x10000) & 0x3ff));
    return true;
  });
  if (!whole)
    return std::nullopt;
  return out;
}

} // namespace

std::optional<std::string> encode_text(std::string_view text,
                                       std::string_view encoding) {
  const auto known = find_encoding(encoding);
  if (!known)
    return std::nullopt;
  switch (*known) {
    case text_encoding::utf8:
      if (find_invalid_utf8(text) != text.npos)
        return std::nullopt;
      return std::string{text};
    case text_encoding::utf16:
      return in_utf16(text, encoding);
    case text_encoding::latin1:
      return in_bytes(text, 0xff);
    case text_encoding::ascii:
      return in_bytes(text, 0x7f);
  }
  return std::nullopt;
}

} // namespace depositd::bagit
