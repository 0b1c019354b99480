#include "messages/values/utf8.hpp"

#include <array>
#include <cstdint>

#include <unistr.h>

namespace depositd {

namespace {

const std::uint8_t* bytes_of(std::string_view text) {
  return reinterpret_cast<const std::uint8_t*>(text.data());
}

} // namespace

std::size_t find_invalid_utf8(std::string_view text) {
  const auto* found = u8_check(bytes_of(text), text.size());
  return found ? static_cast<std::size_t>(found - bytes_of(text))
               : std::string_view::npos;
}

utf8_character first_character(std::string_view text) {
  ucs4_t code = 0;
  const int bytes = u8_mbtoucr(&code, bytes_of(text), text.size());
  return bytes > 0 ? utf8_character{code, static_cast<std::size_t>(bytes)}
                   : utf8_character{};
}

void append_utf8(std::string& out, char32_t code) {
  std::array<std::uint8_t, 6> bytes;
  const int count = u8_uctomb(bytes.data(), code, bytes.size());
  if (count > 0)
    out.append(bytes.begin(), bytes.begin() + count);
}

} // namespace depositd
