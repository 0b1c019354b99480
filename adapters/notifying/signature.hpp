#pragma once

// How a receiver knows that a callback is ours.

#include <cstdint>
#include <string>
#include <string_view>

namespace depositd {

/// HMAC-SHA256 (RFC 2104) in lower-case hexadecimal digits.
std::string hmac_sha256_hex(std::string_view key, std::string_view bytes);

/// "t=UNIXTIME,v1=HEX": of the time, a dot and the body.
std::string signature_of(std::string_view key, std::int64_t unix_s,
                         std::string_view body);

} // namespace depositd
