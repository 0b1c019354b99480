#include "adapters/doors/kit/json_reader.hpp"

#include "adapters/doors/kit/json_copier.hpp"
#include "adapters/doors/kit/json_text.hpp"
#include "messages/values/utf8.hpp"

#include <array>
#include <utility>

namespace depositd::kit {

namespace {

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

/// By the character that follows a backslash; 0: none may.
constexpr auto meanings = [] {
  std::array<char, 256> out{};
  for (std::size_t i = 0; i < json_escapes.size(); ++i)
    out[static_cast<unsigned char>(json_escapes[i])] = "\"\\/\b\f\n\r\t"[i];
  return out;
}();

} // namespace

json_reader::json_reader(std::string_view text, json_rules rules)
  : rules_(rules), begin_(text.data()), at_(begin_),
    end_(begin_ + text.size()) {
  if (rules_.byte_order_mark && text.starts_with(byte_order_mark))
    at_ += byte_order_mark.size();
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
  for (++at_;;) {
    const char* run = at_;
    at_ = find_special(at_, end_);
    out.append(run, at_);
    if (at_ == end_)
      return unexpected();
    if (*at_ == '"') {
      ++at_;
      return true;
    }
    if (*at_ != '\\')
      return unexpected();
    if (!decode(out))
      return false;
  }
}

// What an escape stands for.
bool json_reader::decode(std::string& out) {
  if (++at_ == end_)
    return unexpected();
  if (*at_ != 'u') {
    const char meant = meanings[static_cast<unsigned char>(*at_)];
    if (meant == '\0')
      return unexpected();
    out += meant;
    ++at_;
    return true;
  }
  char32_t code = 0;
  if (!code_point(code))
    return false;
  append_utf8(out, is_half(code) ? 0xFFFD : code);
  return true;
}

// What follows a backslash and names a code point: a `u` with four digits, or
// two of them that are a pair.
bool json_reader::code_point(char32_t& out) {
  const auto unit = code_unit(at_ + 1, end_);
  if (unit < 0)
    return unexpected();
  at_ += 5;
  out = static_cast<char32_t>(unit);
  if (!is_half(out))
    return true;
  const auto low = end_ - at_ >= 6 && at_[0] == '\\' && at_[1] == 'u'
                     ? code_unit(at_ + 2, end_)
                     : -1;
  if (out >= 0xDC00 || low < 0xDC00 || low >= 0xE000)
    return rules_.lone_surrogates || unexpected();
  at_ += 6;
  out =
    0x10000 + ((out - 0xD800) << 10) + (static_cast<char32_t>(low) - 0xDC00);
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
  if (entered_ == 0 && (is_json_digit(*begin) || *begin == '-')
      && at_ != end_) {
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

} // namespace depositd::kit
