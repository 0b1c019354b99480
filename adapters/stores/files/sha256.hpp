#pragma once

// Names of contents.

#include "messages/values/hex.hpp"

#include <string>
#include <string_view>

namespace depositd {

/// SHA-256 of the bytes in 64 lower-case hexadecimal digits.
std::string sha256_hex(std::string_view bytes);

} // namespace depositd
