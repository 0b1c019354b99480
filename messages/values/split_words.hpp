#pragma once

// A line or a command as words, the way a shell would read it.

#include "messages/values/errors.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace depositd {

inline constexpr std::size_t line_bytes_max = 64 * 1024;

/// Words are separated by blanks; 'single' and "double" quotes keep them
/// together; a backslash keeps the next character as it is, but not inside
/// single quotes. `ec::malformed` for quotes that do not end and control
/// characters, `ec::too_large` beyond `line_bytes_max`.
caf::expected<std::vector<std::string>> split_words(std::string_view line);

} // namespace depositd
