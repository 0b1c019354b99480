#include "adapters/doors/kit/json_text.hpp"

#include "messages/values/hex.hpp"
#include "messages/values/utf8.hpp"

#include <cstdint>

#include <simdjson.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace depositd::kit {

const char* find_special(const char* at, const char* end) {
#if defined(__SSE2__)
  const auto quote = _mm_set1_epi8('"');
  const auto backslash = _mm_set1_epi8('\\');
  const auto control = _mm_set1_epi8(0x1F);
  for (; end - at >= 16; at += 16) {
    const auto x = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
    const auto special = _mm_or_si128(
      _mm_or_si128(_mm_cmpeq_epi8(x, quote), _mm_cmpeq_epi8(x, backslash)),
      _mm_cmpeq_epi8(_mm_max_epu8(x, control), control));
    if (const auto mask = _mm_movemask_epi8(special))
      return at + __builtin_ctz(static_cast<unsigned>(mask));
  }
#endif
  while (at != end && *at != '"' && *at != '\\'
         && static_cast<unsigned char>(*at) >= 0x20)
    ++at;
  return at;
}

int code_unit(const char* at, const char* end) {
  std::uint16_t out = 0;
  return end - at >= 4 && take_hex({at, 4}, out) ? out : -1;
}

void append_in_string(std::string& out, char32_t code) {
  constexpr std::string_view named = "\"\\\b\f\n\r\t";
  constexpr std::string_view names = "\"\\bfnrt";
  const auto known =
    code < 0x80 ? named.find(static_cast<char>(code)) : std::string_view::npos;
  if (known != std::string_view::npos) {
    out += '\\';
    out += names[known];
  } else if (code < 0x20) {
    out += code < 16 ? "\\u000" : "\\u001";
    out += "0123456789ABCDEF"[code & 15];
  } else {
    append_utf8(out, code);
  }
}

void append_code_unit(std::string& out, std::uint16_t unit) {
  out += "\\u";
  for (int shift = 12; shift >= 0; shift -= 4)
    out += "0123456789ABCDEF"[unit >> shift & 15];
}

void append_json_string(std::string& out, std::string_view text) {
  out += '"';
  const char* at = text.data();
  const char* end = at + text.size();
  for (;;) {
    const char* special = find_special(at, end);
    out.append(at, special);
    if (special == end)
      break;
    append_in_string(out, static_cast<unsigned char>(*special));
    at = special + 1;
  }
  out += '"';
}

bool is_utf8(std::string_view bytes) {
  return simdjson::validate_utf8(bytes.data(), bytes.size());
}

} // namespace depositd::kit
