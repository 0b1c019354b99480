#pragma once

// Batch ids (`doi_batch_id`) as they are kept: of a file, of what a worker says
// of it, and of whoever asks, so that each finds the others'.

#include "messages/values/blanks.hpp"
#include "messages/values/cut_text.hpp"

#include <string>
#include <string_view>

namespace depositd {

/// Without control characters, blanks squeezed, and of 400 bytes at most:
/// Crossref's schema allows 100 characters.
inline std::string batch_id_of(std::string_view text) {
  constexpr std::size_t bytes_max = 400;
  std::string plain{text};
  for (auto& c : plain)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F)
      c = ' ';
  return squeeze(beginning_of(squeeze(plain), bytes_max));
}

} // namespace depositd
