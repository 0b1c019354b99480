#pragma once

// Tables for spreadsheets (RFC 4180), in which no cell is a formula.

#include "messages/values/errors.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace depositd {

/// Adds a row with its CRLF. A cell that a spreadsheet would take for a formula
/// (it begins with = + - @, a tab or a line break) gets an apostrophe before
/// it.
void append_csv_row(std::string& out, const std::vector<std::string>& cells);

/// Whether a spreadsheet would take a cell for a formula.
bool is_formula(std::string_view cell) noexcept;

/// Reads such a table: lines end with CRLF or LF, a byte order mark is passed
/// over, and cells stay as they are. `ec::malformed` names the row of a quote
/// that is wrong; `ec::too_large` for more than `rows_max` rows.
caf::expected<std::vector<std::vector<std::string>>>
read_csv(std::string_view text, std::size_t rows_max);

} // namespace depositd
