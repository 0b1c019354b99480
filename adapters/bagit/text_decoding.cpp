#include "adapters/bagit/text_decoding.hpp"

#include "messages/values/utf8.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace depositd::bagit {

namespace {

struct known_encoding {
  std::string_view name;
  text_encoding encoding;
};

constexpr std::array<known_encoding, 11> known = {{
  {"UTF-8", text_encoding::utf8},
  {"UTF8", text_encoding::utf8},
  {"UTF-16", text_encoding::utf16},
  {"UTF-16BE", text_encoding::utf16},
  {"UTF-16LE", text_encoding::utf16},
  {"ISO-8859-1", text_encoding::latin1},
  {"ISO8859-1", text_encoding::latin1},
  {"ISO_8859-1", text_encoding::latin1},
  {"LATIN1", text_encoding::latin1},
  {"US-ASCII", text_encoding::ascii},
  {"ASCII", text_encoding::ascii},
}};

bool is_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](unsigned char c) { return c < 0x80; });
}

} // namespace

std::optional<text_encoding> find_encoding(std::string_view name) {
  std::string upper{name};
  for (auto& c : upper)
    c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  for (const auto& x : known)
    if (x.name == upper)
      return x.encoding;
  return std::nullopt;
}

line_decoder::line_decoder(text_encoding encoding) : encoding_(encoding) {
  // nop
}

bool line_decoder::fail(std::string text) {
  if (fault_.empty())
    fault_ = std::move(text);
  return false;
}

bool line_decoder::add(std::string_view bytes, const take_line& take) {
  if (!fault_.empty())
    return false;
  return encoding_ == text_encoding::utf16 ? add_utf16(bytes, take)
                                           : add_text(bytes, take);
}

bool line_decoder::finish(const take_line& take) {
  if (!fault_.empty())
    return false;
  if (!pending_.empty() || high_ != 0)
    return fail("ends in the middle of a character");
  return line_.empty() || end_line(take);
}

bool line_decoder::add_utf16(std::string_view bytes, const take_line& take) {
  for (const char c : bytes) {
    pending_ += c;
    if (pending_.size() < 2)
      continue;
    const auto first = static_cast<unsigned char>(pending_[0]);
    const auto second = static_cast<unsigned char>(pending_[1]);
    pending_.clear();
    if (!begun_) {
      begun_ = true;
      // Without a mark, the side on which ASCII has its zeros.
      big_endian_ =
        !((first == 0xff && second == 0xfe) || (first != 0 && second == 0));
      if ((first == 0xff && second == 0xfe)
          || (first == 0xfe && second == 0xff))
        continue;
    }
    const auto unit = big_endian_ ? first << 8 | second : second << 8 | first;
    if (!add_unit(static_cast<std::uint16_t>(unit), take))
      return false;
  }
  return true;
}

bool line_decoder::add_unit(std::uint16_t unit, const take_line& take) {
  const bool high = unit >= 0xd800 && unit < 0xdc00;
  const bool low = unit >= 0xdc00 && unit < 0xe000;
  if (low != (high_ != 0))
    return fail("is not UTF-16");
  if (high) {
    high_ = unit;
    return true;
  }
  char32_t code = unit;
  if (low)
    code =
      0x10000 + ((char32_t{high_} - 0xd800) << 10) + (char32_t{unit} - 0xdc00);
  high_ = 0;
  std::string text;
  append_utf8(text, code);
  return add_text(text, take);
}

bool line_decoder::add_text(std::string_view text, const take_line& take) {
  while (!text.empty()) {
    if (std::exchange(after_cr_, false) && text.front() == '\n') {
      text.remove_prefix(1);
      continue;
    }
    const auto end = std::min(text.find_first_of("\r\n"), text.size());
    if (line_.size() + end > line_bytes_max)
      return fail("has a line of more than " + std::to_string(line_bytes_max)
                  + " bytes");
    line_ += text.substr(0, end);
    if (end == text.size())
      return true;
    after_cr_ = text[end] == '\r';
    text.remove_prefix(end + 1);
    if (!end_line(take))
      return false;
  }
  return true;
}

bool line_decoder::end_line(const take_line& take) {
  ++number_;
  const auto where = "line " + std::to_string(number_) + " is not ";
  if (encoding_ == text_encoding::latin1) {
    std::string text;
    for (const unsigned char c : line_)
      append_utf8(text, c);
    line_.swap(text);
  } else if (encoding_ == text_encoding::ascii && !is_ascii(line_)) {
    return fail(where + "ASCII");
  } else if (find_invalid_utf8(line_) != line_.npos) {
    return fail(where + "UTF-8");
  }
  // Some programs begin every text with one.
  if (number_ == 1 && line_.starts_with("\xef\xbb\xbf"))
    line_.erase(0, 3);
  take(line_, number_);
  line_.clear();
  return true;
}

} // namespace depositd::bagit
