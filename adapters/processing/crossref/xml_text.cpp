#include "adapters/processing/crossref/xml_text.hpp"

#include "adapters/processing/crossref/text.hpp"
#include "messages/values/lower_case.hpp"
#include "messages/values/owned.hpp"
#include "messages/values/utf8.hpp"

#include <algorithm>
#include <array>
#include <cerrno>

#include <iconv.h>

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

/// `what` is said of the first byte or unit that the encoding does not have.
caf::expected<std::string> decode_from(const char* encoding, const char* what,
                                       std::string_view bytes) {
  const owned<void, iconv_close> cursor{iconv_open("UTF-8", encoding)};
  std::array<char, 16 * 1024> piece;
  std::string out;
  auto* in = const_cast<char*>(bytes.data()); // older than const
  auto left = bytes.size();
  while (left != 0) {
    auto* to = piece.data();
    auto room = piece.size();
    const auto code = iconv(cursor.get(), &in, &left, &to, &room);
    const auto reason = errno;
    out.append(piece.data(), to);
    if (code == static_cast<std::size_t>(-1) && reason != E2BIG)
      return malformed(at_offset(out, out.size(), what));
  }
  return out;
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
  out.encoding = lower_case(head.substr(i + 1, end - i - 1));
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
  if (bytes.size() % 2 != 0)
    return malformed("UTF-16 with an odd number of bytes");
  const bool big = bytes[0] == '\xFE';
  auto text = decode_from(big ? "UTF-16BE" : "UTF-16LE",
                          "lone UTF-16 surrogate", bytes.substr(2));
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
    return decode_from("US-ASCII", "byte that US-ASCII does not have", bytes);
  if (said == "iso-8859-1" || said == "latin1")
    return decode_from("ISO-8859-1", "", bytes);
  if (said == "windows-1252" || said == "cp1252")
    return decode_from("WINDOWS-1252", "byte that windows-1252 does not have",
                       bytes);
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
