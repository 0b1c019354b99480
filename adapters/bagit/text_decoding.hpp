#pragma once

// Tag files as UTF-8, whatever they are written in, line by line.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace depositd::bagit {

enum class text_encoding : std::uint8_t { utf8, utf16, latin1, ascii };

/// By the name in bagit.txt, in any case: "UTF-8", "UTF-16", "ISO-8859-1",
/// "US-ASCII" and what these are also called.
std::optional<text_encoding> find_encoding(std::string_view name);

/// Takes bytes in pieces, gives whole lines. Memory: one line.
class line_decoder {
public:
  static constexpr std::size_t line_bytes_max = 64 * 1024;

  /// A line without its end, and its number, from 1; valid until it returns.
  using take_line = std::function<void(std::string_view, std::uint64_t)>;

  explicit line_decoder(text_encoding encoding);

  /// False from the first byte on that is not in the encoding, or that makes a
  /// line too long.
  bool add(std::string_view bytes, const take_line& take);

  /// At the end of the file: the last line, if it has no end.
  bool finish(const take_line& take);

  /// What was wrong.
  const std::string& fault() const {
    return fault_;
  }

private:
  bool fail(std::string text);
  bool add_utf16(std::string_view bytes, const take_line& take);
  bool add_unit(std::uint16_t unit, const take_line& take);
  bool add_text(std::string_view text, const take_line& take);
  bool end_line(const take_line& take);

  text_encoding encoding_;
  std::string line_;    ///< UTF-8, or not yet known to be
  std::string pending_; ///< half of a UTF-16 unit
  std::string fault_;
  std::uint64_t number_ = 0;
  std::uint16_t high_ = 0; ///< the first half of a pair
  bool big_endian_ = true;
  bool begun_ = false;
  bool after_cr_ = false;
};

} // namespace depositd::bagit
