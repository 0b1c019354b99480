#pragma once

// Texts that are cut to a number of bytes.

#include <cstddef>
#include <string_view>

namespace depositd {

/// What a text begins with, in at most so many bytes and without half a
/// character: where it is cut within one, all of that is left out. What is no
/// UTF-8 is cut as it is. A view of the same bytes.
inline std::string_view beginning_of(std::string_view text,
                                     std::size_t bytes_max) {
  if (text.size() <= bytes_max)
    return text;
  constexpr std::size_t character_bytes_max = 4;
  const auto goes_on = [&](std::size_t at) {
    return (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80;
  };
  for (std::size_t back = 0; back < character_bytes_max && back <= bytes_max;
       ++back)
    if (!goes_on(bytes_max - back))
      return text.substr(0, bytes_max - back);
  return text.substr(0, bytes_max);
}

} // namespace depositd
