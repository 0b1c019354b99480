#pragma once

// The body of an item in a deposit queue: what its handler needs to find and
// read the original post, which is always a blob.

#include "messages/errors.hpp"
#include "messages/types.hpp"

#include <string>
#include <string_view>

namespace depositd {

std::string encode_envelope(const submission& x);

/// `ec::malformed` if the bytes are not an envelope.
caf::expected<submission> decode_envelope(std::string_view bytes);

} // namespace depositd
