#pragma once

// Names of contents.

#include <string>
#include <string_view>

namespace depositd {

/// SHA-256 of the bytes in 64 lower-case hexadecimal digits.
std::string sha256_hex(std::string_view bytes);

/// Whether the text could be such a digest.
bool is_sha256_hex(std::string_view text);

} // namespace depositd
