#pragma once

// Times as people and JSON documents write them: ISO 8601, always UTC.

#include "messages/values/errors.hpp"
#include "messages/values/types.hpp"

#include <string>
#include <string_view>

namespace depositd {

/// "2026-03-01T09:30:00.125Z"; "never" (0) becomes an empty text.
std::string format_utc(micros at);

/// "Sun, 01 Mar 2026 09:30:00 GMT", as HTTP and mail have it.
std::string format_http_date(micros at);

/// Reads "2026-03-01", "2026-03-01T09:30", "...:00", "...:00.125", each with or
/// without a final Z, a blank instead of the T. `ec::invalid_argument` if it is
/// no such time.
caf::expected<micros> parse_utc(std::string_view text);

} // namespace depositd
