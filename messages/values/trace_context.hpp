#pragma once

// W3C trace context, as it comes with a record or a request.

#include <string_view>

namespace depositd {

/// Header of a record or a request; HTTP compares it without case.
inline constexpr const char* traceparent_header = "traceparent";

/// Whether this is a `traceparent` of version 00: `00-<32>-<16>-<2>` in lower
/// case hexadecimal digits, neither of the first two nothing but zeros.
bool legal_traceparent(std::string_view x);

} // namespace depositd
