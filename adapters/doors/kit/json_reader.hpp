#pragma once

// Reads JSON texts without building documents: checks, cuts and compacts in one
// pass. Tokens stay as they were sent, but for escapes.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace depositd::kit {

/// Arrays and objects in each other.
inline constexpr std::size_t json_depth_max = 1024;

/// What stands in `why` when there are more.
inline constexpr std::string_view json_too_deep =
  "The JSON text is nested too deeply";

/// What is forgiven.
struct json_rules {
  std::size_t depth_max = json_depth_max; ///< no more than that
  bool byte_order_mark = true;            ///< is skipped
  bool lone_surrogates = true;            ///< as escapes
};

enum class json_fault : std::uint8_t {
  none,
  syntax,     ///< no JSON, or not UTF-8
  shape,      ///< JSON, but not what stands here
  not_finite, ///< a number beyond what a double can hold
};

/// A cursor over one text, which must outlive it. The first fault stops it:
/// from then on every function says no.
class json_reader {
public:
  explicit json_reader(std::string_view text, json_rules rules = {});

  /// The next byte that is not blank; 0 at the end and after a fault.
  char look();

  /// Enters an array or object, or faults with the shape that was expected.
  bool open(char bracket);

  /// Whether another element or member follows; else leaves the array or
  /// object that ends with `bracket`. `first` must be true at first and is
  /// cleared.
  bool next(char bracket, bool& first);

  /// A member's name, and the colon behind it.
  bool key(std::string& out);

  /// Whether there is nothing more, and no fault.
  bool at_end();

  /// Appends the value without the blanks between its tokens, and with the
  /// characters in place of escapes that JSON does not need.
  bool copy(std::string& out);

  /// Reads over a value.
  bool skip();

  /// A string's text. Half of a surrogate pair becomes U+FFFD.
  bool text(std::string& out);

  /// Declares that what stands here is not what it should be.
  bool refuse(std::string why);

  /// Whether all that was read is well-formed UTF-8; asked once at the end.
  bool finish();

  json_fault fault() const {
    return fault_;
  }

  /// One line for whoever sent the text.
  const std::string& why() const {
    return why_;
  }

private:
  class copier;

  bool fail(json_fault what, std::string why);
  bool unexpected();

  void skip_blanks() {
    while (at_ != end_
           && (*at_ == ' ' || *at_ == '\n' || *at_ == '\r' || *at_ == '\t'))
      ++at_;
  }

  bool value(copier& to);
  bool walk(copier& to);
  bool scalar(copier& to);
  bool string_token(copier& to);
  bool escape(copier& to);
  bool decode(std::string& out);
  bool code_point(char32_t& out);
  bool number_token();
  bool digits();
  bool word(std::string_view what);

  const json_rules rules_;
  const char* begin_;
  const char* at_;
  const char* end_;
  std::size_t entered_ = 0; ///< arrays and objects that are open
  json_fault fault_ = json_fault::none;
  std::string why_;
};

} // namespace depositd::kit
