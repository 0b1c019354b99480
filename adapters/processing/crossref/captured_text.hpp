#pragma once

// The text of an element, which comes in pieces.

#include "messages/values/blanks.hpp"
#include "messages/values/utf8.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace depositd::crossref {

/// Of one element at a time, with what is in its children. So many bytes are
/// kept, in whole characters.
class captured_text {
public:
  static constexpr std::size_t bytes_max = 4'096;

  /// From the element of this depth on, which is at least 1.
  void begin(std::size_t depth) {
    depth_ = depth;
    text_.clear();
  }

  /// Of the element whose text it is; 0: nothing is captured.
  std::size_t depth() const {
    return depth_;
  }

  /// What comes while nothing is captured is dropped.
  void add(std::string_view part) {
    if (depth_ > 0 && text_.size() < bytes_max)
      text_ += part.substr(0, bytes_max - text_.size());
  }

  /// Ends it: what the element says, its blanks squeezed.
  std::string take() {
    depth_ = 0;
    auto out = squeeze(text_);
    if (const auto cut = find_invalid_utf8(out); cut != out.npos)
      out.resize(cut);
    return out;
  }

private:
  std::size_t depth_ = 0;
  std::string text_;
};

} // namespace depositd::crossref
