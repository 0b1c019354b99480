#pragma once

#include "messages/values/errors.hpp"

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace depositd::http {

/// Unpacks gzip or zlib bytes. `ec::too_large` as soon as the result is longer
/// than `bytes_max`; `ec::malformed` for bytes that are neither, or cut short;
/// `ec::overloaded` if `room` has none for the next piece of memory. What it
/// was asked for is in use no longer than this runs, but for the result.
caf::expected<std::string>
inflate(std::string_view packed, std::size_t bytes_max,
        const std::function<bool(std::size_t)>& room = {});

} // namespace depositd::http
