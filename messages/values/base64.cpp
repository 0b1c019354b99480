#include "messages/values/base64.hpp"

#include <array>
#include <cstdint>

#include <sodium.h>

namespace depositd {

namespace {

constexpr std::string_view alphabet =
  "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

constexpr std::uint32_t no_digit = 64;

constexpr auto digits = [] {
  std::array<std::uint8_t, 256> out{};
  out.fill(no_digit);
  for (std::size_t i = 0; i < alphabet.size(); ++i)
    out[static_cast<unsigned char>(alphabet[i])] = static_cast<std::uint8_t>(i);
  return out;
}();

/// `count` (2 to 4) digits as 24 bits; false if one of them is none.
bool read_digits(std::string_view text, std::size_t count, std::uint32_t& out) {
  out = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    const std::uint32_t digit =
      i < count ? digits[static_cast<unsigned char>(text[i])] : 0;
    if (digit == no_digit)
      return false;
    out = out << 6 | digit;
  }
  return true;
}

} // namespace

std::string encode_base64(std::string_view bytes) {
  constexpr auto variant = sodium_base64_VARIANT_ORIGINAL;
  std::string out(sodium_base64_encoded_len(bytes.size(), variant), '\0');
  sodium_bin2base64(out.data(), out.size(),
                    reinterpret_cast<const unsigned char*>(bytes.data()),
                    bytes.size(), variant);
  out.pop_back(); // the library's end of text
  return out;
}

// By hand: records of a log may come as base64, and libsodium, which must not
// let time tell what it reads, takes four times as long.
caf::expected<std::string> decode_base64(std::string_view text) {
  const auto malformed = [] {
    return caf::make_error(ec::malformed, std::string{"no base64 text"});
  };
  if (text.size() % 4 != 0)
    return malformed();
  std::string out;
  out.reserve(text.size() / 4 * 3);
  for (std::size_t i = 0; i < text.size(); i += 4) {
    const auto part = text.substr(i, 4);
    std::size_t count = 4;
    if (i + 4 == text.size())
      while (count > 2 && part[count - 1] == '=')
        --count;
    std::uint32_t bits = 0;
    if (!read_digits(part, count, bits))
      return malformed();
    // One text per value: bits that no byte takes must be zero.
    if ((count == 2 && (bits & 0xffff) != 0)
        || (count == 3 && (bits & 0xff) != 0))
      return malformed();
    for (std::size_t j = 0; j + 1 < count; ++j)
      out += static_cast<char>(bits >> (16 - 8 * j) & 0xff);
  }
  return out;
}

} // namespace depositd
