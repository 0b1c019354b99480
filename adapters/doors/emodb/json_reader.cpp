#include "adapters/doors/emodb/json_reader.hpp"

#include "adapters/doors/emodb/json_text.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <utility>

namespace depositd::emodb {

namespace {

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

// Longer ones without an exponent are still below the largest double.
constexpr std::size_t finite_digits = 300;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_word(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool is_finite(const char* begin, const char* end) {
  double value = 0;
  const auto parsed = std::from_chars(begin, end, value);
  if (parsed.ec != std::errc::result_out_of_range)
    return std::isfinite(value);
  // Too small is zero, as good as any number; only too large is not.
  return std::isfinite(std::strtod(std::string{begin, end}.c_str(), nullptr));
}

} // namespace

/// Takes what stays as it is in runs, so that a compact text is copied once.
class json_reader::copier {
public:
  copier(std::string* out, const char* at) : out_(out), run_(at) {
    // nop
  }

  /// Leaves out what is between.
  void leap(const char* from, const char* to) {
    flush(from);
    run_ = to;
  }

  void flush(const char* last) {
    if (out_)
      out_->append(run_, last);
  }

  /// For what stands in place of something left out; null: nothing is kept.
  std::string* out() {
    return out_;
  }

private:
  std::string* out_;
  const char* run_;
};

json_reader::json_reader(std::string_view text)
  : begin_(text.data()), at_(begin_), end_(begin_ + text.size()) {
  if (text.starts_with(byte_order_mark))
    at_ += byte_order_mark.size();
}

void json_reader::skip_blanks() {
  while (at_ != end_
         && (*at_ == ' ' || *at_ == '\n' || *at_ == '\r' || *at_ == '\t'))
    ++at_;
}

bool json_reader::fail(json_fault what, std::string why) {
  if (fault_ == json_fault::none) {
    fault_ = what;
    why_ = std::move(why);
  }
  return false;
}

bool json_reader::refuse(std::string why) {
  return fail(json_fault::shape, std::move(why));
}

bool json_reader::unexpected() {
  if (at_ == end_)
    return fail(json_fault::syntax, "Unexpected end of the JSON text");
  return fail(json_fault::syntax, "Unexpected character at byte "
                                    + std::to_string(at_ - begin_)
                                    + " of the JSON text");
}

char json_reader::look() {
  if (fault_ != json_fault::none)
    return '\0';
  skip_blanks();
  return at_ == end_ ? '\0' : *at_;
}

bool json_reader::at_end() {
  look();
  return fault_ == json_fault::none && at_ == end_;
}

bool json_reader::open(char bracket) {
  const auto c = look();
  if (c == bracket) {
    ++at_;
    ++entered_;
    return true;
  }
  if (fault_ != json_fault::none)
    return false;
  const char* before = at_;
  // What is no JSON at all is told so.
  if (!skip())
    return false;
  at_ = before;
  return refuse(bracket == '[' ? "A JSON array is expected"
                               : "A JSON object is expected");
}

bool json_reader::next(char bracket, bool& first) {
  const auto c = look();
  if (fault_ != json_fault::none)
    return false;
  if (c == bracket) {
    ++at_;
    --entered_;
    return false;
  }
  if (std::exchange(first, false))
    return c != '\0' || unexpected();
  if (c != ',')
    return unexpected();
  ++at_;
  // A comma promises one more.
  return look() != bracket || unexpected();
}

bool json_reader::key(std::string& out) {
  if (look() != '"')
    return fault_ == json_fault::none && unexpected();
  if (!text(out))
    return false;
  if (look() != ':')
    return fault_ == json_fault::none && unexpected();
  ++at_;
  return true;
}

bool json_reader::text(std::string& out) {
  out.clear();
  if (look() != '"') {
    if (fault_ != json_fault::none || !skip())
      return false;
    return refuse("A JSON string is expected");
  }
  const char* begin = at_ + 1;
  copier nowhere{nullptr, at_};
  if (!string_token(nowhere))
    return false;
  unescape(out, begin, at_ - 1);
  return true;
}

bool json_reader::copy(std::string& out) {
  look();
  copier to{&out, at_};
  if (!value(to))
    return false;
  to.flush(at_);
  return true;
}

bool json_reader::skip() {
  look();
  copier to{nullptr, at_};
  return value(to);
}

bool json_reader::value(copier& to) {
  if (fault_ != json_fault::none)
    return false;
  const char* begin = at_;
  if (!walk(to))
    return false;
  // Where nothing else ends it, only a blank ends a number.
  if (entered_ == 0 && (is_digit(*begin) || *begin == '-') && at_ != end_) {
    const char* behind = at_;
    skip_blanks();
    if (at_ == behind)
      return unexpected();
    at_ = behind;
  }
  return true;
}

bool json_reader::finish() {
  if (fault_ != json_fault::none)
    return false;
  return is_utf8({begin_, static_cast<std::size_t>(at_ - begin_)})
         || fail(json_fault::syntax, "The JSON text is not UTF-8");
}

// One value, whatever is inside it. Iterative, so that depth costs a bit each.
bool json_reader::walk(copier& to) {
  std::array<std::uint64_t, json_depth_max / 64> objects{};
  std::size_t depth = 0;
  const auto in_object = [&] {
    return (objects[(depth - 1) / 64] >> ((depth - 1) % 64) & 1) != 0;
  };
  const auto blanks = [&] {
    const char* before = at_;
    skip_blanks();
    if (at_ != before)
      to.leap(before, at_);
  };
  const auto name = [&] {
    if (at_ == end_ || *at_ != '"' || !string_token(to))
      return fault_ == json_fault::none && unexpected();
    blanks();
    if (at_ == end_ || *at_ != ':')
      return unexpected();
    ++at_;
    blanks();
    return true;
  };
  for (;;) {
    if (at_ == end_)
      return unexpected();
    bool opened = false;
    if (*at_ == '{' || *at_ == '[') {
      if (depth == json_depth_max)
        return fail(json_fault::syntax, "The JSON text is nested too deeply");
      const auto bit = std::uint64_t{1} << (depth % 64);
      auto& word = objects[depth / 64];
      word = *at_ == '{' ? word | bit : word & ~bit;
      ++depth;
      ++at_;
      blanks();
      opened = true;
    } else if (!scalar(to)) {
      return false;
    }
    for (; depth > 0; --depth) {
      const bool object = in_object();
      if (!opened)
        blanks();
      if (at_ == end_)
        return unexpected();
      if (*at_ != (object ? '}' : ']')) {
        if (!opened) {
          if (*at_ != ',')
            return unexpected();
          ++at_;
          blanks();
        }
        if (object && !name())
          return false;
        break;
      }
      ++at_;
      opened = false;
    }
    if (depth == 0)
      return true;
  }
}

bool json_reader::scalar(copier& to) {
  switch (*at_) {
    case '"':
      return string_token(to);
    case 't':
      return word("true");
    case 'f':
      return word("false");
    case 'n':
      return word("null");
    default:
      return number_token();
  }
}

bool json_reader::word(std::string_view what) {
  const std::string_view rest{at_, static_cast<std::size_t>(end_ - at_)};
  if (!rest.starts_with(what))
    return unexpected();
  at_ += what.size();
  return at_ == end_ || !is_word(*at_) || unexpected();
}

bool json_reader::string_token(copier& to) {
  for (++at_;;) {
    at_ = find_special(at_, end_);
    if (at_ == end_)
      return unexpected();
    if (*at_ == '"') {
      ++at_;
      return true;
    }
    if (*at_ != '\\' || !escape(to))
      return fault_ == json_fault::none && unexpected();
  }
}

bool json_reader::escape(copier& to) {
  const char* begin = at_++;
  if (at_ == end_)
    return unexpected();
  if (*at_ != 'u') {
    if (std::string_view{"\"\\/bfnrt"}.find(*at_) == std::string_view::npos)
      return unexpected();
    if (*at_ == '/')
      to.leap(begin, at_);
    ++at_;
    return true;
  }
  const auto unit = code_unit(at_ + 1, end_);
  if (unit < 0)
    return unexpected();
  at_ += 5;
  const bool paired = is_high(unit) && end_ - at_ >= 6 && at_[0] == '\\'
                      && at_[1] == 'u' && is_low(code_unit(at_ + 2, end_));
  if (paired)
    at_ += 6;
  else if (is_high(unit) || is_low(unit))
    return true; // half of a pair can only be said this way
  to.leap(begin, at_);
  if (auto* out = to.out())
    paired ? unescape(*out, begin, at_) : append_in_string(*out, unit);
  return true;
}

bool json_reader::digits() {
  if (at_ == end_ || !is_digit(*at_))
    return unexpected();
  while (at_ != end_ && is_digit(*at_))
    ++at_;
  return true;
}

bool json_reader::number_token() {
  const char* begin = at_;
  bool exponent = false;
  bool fraction = false;
  if (*at_ == '-')
    ++at_;
  if (at_ != end_ && *at_ == '0')
    ++at_;
  else if (!digits())
    return false;
  if (at_ != end_ && *at_ == '.') {
    fraction = true;
    ++at_;
    if (!digits())
      return false;
  }
  if (at_ != end_ && (*at_ == 'e' || *at_ == 'E')) {
    exponent = true;
    ++at_;
    if (at_ != end_ && (*at_ == '+' || *at_ == '-'))
      ++at_;
    if (!digits())
      return false;
  }
  // Behind a number comes a blank, a comma or a bracket.
  if (at_ != end_ && (is_word(*at_) || *at_ == '.' || *at_ == '-'))
    return unexpected();
  const auto size = static_cast<std::size_t>(at_ - begin);
  if ((exponent || (fraction && size > finite_digits))
      && !is_finite(begin, at_))
    return fail(json_fault::not_finite,
                "A number is too large: " + std::string{begin, at_}.substr(
                  0, 40));
  return true;
}

} // namespace depositd::emodb
