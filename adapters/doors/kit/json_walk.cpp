// Reads over values: checks them, and cuts out what they do without.

#include "adapters/doors/kit/json_copier.hpp"
#include "adapters/doors/kit/json_text.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>

namespace depositd::kit {

namespace {

// Longer ones without an exponent are still below the largest double.
constexpr std::size_t finite_digits = 300;

bool is_word(char c) {
  return is_json_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
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
      if (depth == rules_.depth_max)
        return fail(json_fault::syntax, std::string{json_too_deep});
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
    if (json_escapes.find(*at_) == json_escapes.npos)
      return unexpected();
    if (*at_ == '/')
      to.leap(begin, at_);
    ++at_;
    return true;
  }
  char32_t code = 0;
  if (!code_point(code))
    return false;
  to.leap(begin, at_);
  auto* out = to.out();
  // Half of a pair can only be said this way.
  if (out && is_half(code))
    append_code_unit(*out, static_cast<std::uint16_t>(code));
  else if (out)
    append_in_string(*out, code);
  return true;
}

bool json_reader::digits() {
  if (at_ == end_ || !is_json_digit(*at_))
    return unexpected();
  while (at_ != end_ && is_json_digit(*at_))
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
                "A number is too large: "
                  + std::string{begin, at_}.substr(0, 40));
  return true;
}

} // namespace depositd::kit
