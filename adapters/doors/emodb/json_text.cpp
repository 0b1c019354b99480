#include "adapters/doors/emodb/json_text.hpp"

#include <cstdint>

#include <simdjson.h>

#if defined(__SSE2__)
#  include <emmintrin.h>
#endif

namespace depositd::emodb {

namespace {

int hex_value(char c) {
  if (c >= '0' && c <= '9')
    return c - '0';
  if (c >= 'a' && c <= 'f')
    return c - 'a' + 10;
  if (c >= 'A' && c <= 'F')
    return c - 'A' + 10;
  return -1;
}

} // namespace

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
  if (end - at < 4)
    return -1;
  int out = 0;
  for (int i = 0; i < 4; ++i) {
    const auto value = hex_value(at[i]);
    if (value < 0)
      return -1;
    out = out << 4 | value;
  }
  return out;
}

bool is_high(int unit) {
  return unit >= 0xD800 && unit < 0xDC00;
}

bool is_low(int unit) {
  return unit >= 0xDC00 && unit < 0xE000;
}

void append_utf8(std::string& out, std::uint32_t code) {
  const auto put = [&](std::uint32_t byte) {
    out += static_cast<char>(byte);
  };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xC0 | code >> 6);
    put(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    put(0xE0 | code >> 12);
    put(0x80 | (code >> 6 & 0x3F));
    put(0x80 | (code & 0x3F));
  } else {
    put(0xF0 | code >> 18);
    put(0x80 | (code >> 12 & 0x3F));
    put(0x80 | (code >> 6 & 0x3F));
    put(0x80 | (code & 0x3F));
  }
}

void append_in_string(std::string& out, int unit) {
  constexpr std::string_view hex = "0123456789ABCDEF";
  constexpr std::string_view named = "\"\\\b\f\n\r\t";
  constexpr std::string_view names = "\"\\bfnrt";
  const auto known = unit < 0x80 ? named.find(static_cast<char>(unit))
                                 : std::string_view::npos;
  if (known != std::string_view::npos) {
    out += '\\';
    out += names[known];
  } else if (unit < 0x20) {
    out += "\\u00";
    out += hex[static_cast<std::size_t>(unit) >> 4];
    out += hex[static_cast<std::size_t>(unit) & 15];
  } else {
    append_utf8(out, static_cast<std::uint32_t>(unit));
  }
}

void unescape(std::string& out, const char* at, const char* end) {
  constexpr std::string_view names = "bfnrt";
  constexpr std::string_view meanings = "\b\f\n\r\t";
  while (at != end) {
    if (*at != '\\') {
      out += *at++;
      continue;
    }
    const char what = at[1];
    at += 2;
    if (what != 'u') {
      const auto known = names.find(what);
      out += known == std::string_view::npos ? what : meanings[known];
      continue;
    }
    const auto unit = code_unit(at, end);
    at += 4;
    std::uint32_t code = static_cast<std::uint32_t>(unit);
    if (is_high(unit) && end - at >= 6 && at[0] == '\\' && at[1] == 'u'
        && is_low(code_unit(at + 2, end))) {
      code = 0x10000 + ((code - 0xD800) << 10)
             + static_cast<std::uint32_t>(code_unit(at + 2, end) - 0xDC00);
      at += 6;
    } else if (is_high(unit) || is_low(unit)) {
      code = 0xFFFD;
    }
    append_utf8(out, code);
  }
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

} // namespace depositd::emodb
