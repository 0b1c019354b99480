#pragma once

// What stands in a log, one line for each event, whatever strangers call their
// files.

#include <string>
#include <string_view>

namespace depositd {

/// What stands between the quotes of a line: quotes and backslashes have a
/// backslash before them, control characters and what is no UTF-8 are \xNN.
std::string log_text(std::string_view text);

/// An event as one line: control characters and what is no UTF-8 are \xNN, and
/// quotes in its reason, which comes last, have a backslash before them, unless
/// they have one.
std::string log_line(std::string_view event);

} // namespace depositd
