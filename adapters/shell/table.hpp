#pragma once

// Text for terminals: nothing that came from users may steer one.

#include <string>
#include <string_view>
#include <vector>

namespace depositd::shell {

/// The text with control characters, bytes that are no UTF-8, and marks that
/// turn the direction of writing, shown as \n, \x1b, \u{202e}. What is wider
/// than `width_max` ends there with "...".
std::string escaped(std::string_view text,
                    std::size_t width_max = std::string_view::npos);

/// How many columns a terminal needs for it, roughly: code points.
std::size_t width_of(std::string_view text);

using table_row = std::vector<std::string>;

/// Columns that line up below their titles; one that begins with '>' is for a
/// column of numbers. Ends with a newline; cells are escaped and shortened
/// here.
std::string table(table_row titles, std::vector<table_row> rows);

/// "name:  value" lines that line up.
std::string
pairs(const std::vector<std::pair<std::string, std::string>>& entries);

} // namespace depositd::shell
