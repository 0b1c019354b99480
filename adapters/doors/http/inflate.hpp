#pragma once

#include "messages/values/errors.hpp"

#include <string>
#include <string_view>

namespace depositd::http {

/// Unpacks gzip or zlib bytes. `ec::too_large` as soon as the result is longer
/// than `bytes_max`; `ec::malformed` for bytes that are neither, or cut short.
caf::expected<std::string> inflate(std::string_view packed,
                                   std::size_t bytes_max);

} // namespace depositd::http
