#pragma once

// Names of files by what is in them.

#include "adapters/stores/files/sha256.hpp"

#include <string>
#include <string_view>

namespace depositd::kit {

/// As the blob store names them: SHA-256 in small hexadecimal digits.
inline std::string name_of_file(std::string_view bytes) {
  return sha256_hex(bytes);
}

} // namespace depositd::kit
