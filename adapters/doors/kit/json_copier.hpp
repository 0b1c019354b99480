#pragma once

// Inside the JSON cursor.

#include "adapters/doors/kit/json_reader.hpp"

#include <string>

namespace depositd::kit {

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

/// What may follow a backslash, besides a code point.
inline constexpr std::string_view json_escapes = "\"\\/bfnrt";

/// Half of a surrogate pair.
constexpr bool is_half(char32_t code) {
  return code >= 0xD800 && code < 0xE000;
}

constexpr bool is_json_digit(char c) {
  return c >= '0' && c <= '9';
}

} // namespace depositd::kit
