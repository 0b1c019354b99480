#pragma once

// Base64 with padding (RFC 4648, section 4): bytes inside JSON documents.

#include "messages/values/errors.hpp"

#include <string>
#include <string_view>

namespace depositd {

std::string encode_base64(std::string_view bytes);

/// `ec::malformed` if the text is anything else, blanks and missing padding
/// included.
caf::expected<std::string> decode_base64(std::string_view text);

} // namespace depositd
