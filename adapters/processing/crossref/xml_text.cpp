#include "adapters/processing/crossref/xml_text.hpp"

#include "messages/values/utf8.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include <unistr.h>

namespace depositd::crossref {

namespace {

using namespace std::string_view_literals;

constexpr auto npos = std::string_view::npos;

caf::error malformed(std::string text) {
  return caf::make_error(ec::malformed, std::move(text));
}

caf::error too_large(std::string text) {
  return caf::make_error(ec::too_large, std::move(text));
}

// -- encodings ----------------------------------------------------------------

caf::expected<std::string> decode_utf16(std::string_view bytes, bool big) {
  if (bytes.size() % 2 != 0)
    return malformed("UTF-16 with an odd number of bytes");
  std::vector<std::uint16_t> units(bytes.size() / 2);
  for (std::size_t i = 0; i < units.size(); ++i) {
    const auto a = static_cast<std::uint8_t>(bytes[2 * i]);
    const auto b = static_cast<std::uint8_t>(bytes[2 * i + 1]);
    units[i] = static_cast<std::uint16_t>(big ? a << 8 | b : b << 8 | a);
  }
  const auto* lone = u16_check(units.data(), units.size());
  const auto count = lone ? lone - units.data() : units.size();
  // At most three bytes for each unit; with no room at all the library would
  // make its own.
  std::string out(count * 3, '\0');
  if (auto size = out.size(); size != 0) {
    u16_to_u8(units.data(), count, reinterpret_cast<std::uint8_t*>(out.data()),
              &size);
    out.resize(size);
  }
  if (lone)
    return malformed(at_offset(out, out.size(), "lone UTF-16 surrogate"));
  return out;
}

// 0x80 to 0x9F of windows-1252; 0 where it has no character.
constexpr std::array<std::uint16_t, 32> windows_1252 = {
  0x20AC, 0,      0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021,
  0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0,      0x017D, 0,
  0,      0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014,
  0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0,      0x017E, 0x0178,
};

caf::expected<std::string> decode_bytes(std::string_view bytes, bool windows) {
  std::string out;
  out.reserve(bytes.size() + bytes.size() / 8);
  for (const auto c : bytes) {
    std::uint32_t code = static_cast<std::uint8_t>(c);
    if (windows && code >= 0x80 && code < 0xA0)
      code = windows_1252[code - 0x80];
    if (code == 0 && c != 0)
      return malformed(
        at_offset(out, out.size(), "byte that windows-1252 does not have"));
    append_utf8(out, code);
  }
  return out;
}

caf::expected<std::string> check_ascii(std::string_view bytes) {
  const auto bad = std::find_if(bytes.begin(), bytes.end(), [](char c) {
    return static_cast<std::uint8_t>(c) >= 0x80;
  });
  if (bad == bytes.end())
    return std::string{bytes};
  const auto offset = static_cast<std::size_t>(bad - bytes.begin());
  return malformed(
    at_offset(bytes, offset, "byte that US-ASCII does not have"));
}

caf::expected<std::string> check_utf8(std::string_view bytes) {
  const auto bad = find_invalid_utf8(bytes);
  if (bad == npos)
    return std::string{bytes};
  return malformed(at_offset(bytes, bad, "byte that is not valid UTF-8"));
}

// -- the declaration ----------------------------------------------------------

/// Where the pseudo attribute `encoding="..."` is, and its value in lower case.
struct declaration {
  std::size_t begin = npos;
  std::size_t end = npos;
  std::string encoding;
};

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

declaration find_declaration(std::string_view text) {
  declaration out;
  if (!text.starts_with("<?xml") || text.size() < 6 || !is_blank(text[5]))
    return out;
  const auto close = text.substr(0, 1024).find("?>");
  const auto head = text.substr(0, std::min<std::size_t>(close, 1024));
  const auto name = head.find("encoding");
  if (name == npos || !is_blank(head[name - 1]))
    return out;
  auto i = head.find_first_not_of(" \t\r\n", name + "encoding"sv.size());
  if (i == npos || head[i] != '=')
    return out;
  i = head.find_first_not_of(" \t\r\n", i + 1);
  if (i == npos || (head[i] != '"' && head[i] != '\''))
    return out;
  const auto end = head.find(head[i], i + 1);
  if (end == npos)
    return out;
  out.begin = name;
  out.end = end + 1;
  out.encoding = head.substr(i + 1, end - i - 1);
  for (auto& c : out.encoding)
    if (c >= 'A' && c <= 'Z')
      c = static_cast<char>(c - 'A' + 'a');
  return out;
}

caf::error not_as_declared(const std::string& encoding) {
  return malformed("line 1, column 1: the encoding declaration says \""
                   + encoding.substr(0, 40) + "\", the bytes are something "
                   + "else or it is not supported");
}

/// Blanked, not removed: columns stay what they are in the file.
std::string without_encoding(std::string text) {
  const auto found = find_declaration(text);
  if (found.begin != npos)
    std::fill(text.begin() + static_cast<std::ptrdiff_t>(found.begin),
              text.begin() + static_cast<std::ptrdiff_t>(found.end), ' ');
  return text;
}

caf::expected<std::string> decode_marked_utf16(std::string_view bytes) {
  const bool big = bytes[0] == '\xFE';
  auto text = decode_utf16(bytes.substr(2), big);
  if (!text)
    return text;
  const auto said = find_declaration(*text).encoding;
  if (said.empty() || said == "utf-16"
      || said == (big ? "utf-16be" : "utf-16le"))
    return text;
  return not_as_declared(said);
}

caf::expected<std::string> decode_by_declaration(std::string_view bytes) {
  const auto said = find_declaration(bytes).encoding;
  if (said.empty() || said == "utf-8" || said == "utf8")
    return check_utf8(bytes);
  if (said == "us-ascii" || said == "ascii")
    return check_ascii(bytes);
  if (said == "iso-8859-1" || said == "latin1")
    return decode_bytes(bytes, false);
  if (said == "windows-1252" || said == "cp1252")
    return decode_bytes(bytes, true);
  return not_as_declared(said);
}

caf::expected<std::string> decode_any(std::string_view bytes) {
  if (bytes.starts_with("\xFE\xFF"sv)
      || (bytes.starts_with("\xFF\xFE"sv)
          && !bytes.starts_with("\xFF\xFE\0\0"sv)))
    return decode_marked_utf16(bytes);
  if (bytes.substr(0, 4).find('\0') != npos)
    return malformed("line 1, column 1: neither UTF-8 nor UTF-16 with a byte "
                     "order mark");
  if (!bytes.starts_with("\xEF\xBB\xBF"sv))
    return decode_by_declaration(bytes);
  bytes.remove_prefix(3);
  const auto said = find_declaration(bytes).encoding;
  if (said.empty() || said == "utf-8" || said == "utf8")
    return check_utf8(bytes);
  return not_as_declared(said);
}

} // namespace

caf::expected<std::string> decode_xml_text(std::string_view bytes,
                                           const xml_limits& limits) {
  if (bytes.size() > limits.bytes_max)
    return too_large("more than " + std::to_string(limits.bytes_max)
                     + " bytes");
  auto text = decode_any(bytes);
  if (!text)
    return text;
  // libxml2 would take it for the end.
  if (const auto zero = text->find('\0'); zero != text->npos)
    return malformed(at_offset(*text, zero, "NUL character"));
  return without_encoding(std::move(*text));
}

} // namespace depositd::crossref
