#pragma once

// Tables for spreadsheets (RFC 4180), in which no cell is a formula.

#include <string>
#include <string_view>
#include <vector>

namespace depositd {

/// Adds a row with its CRLF. A cell that a spreadsheet would take for a formula
/// (it begins with = + - @, a tab or a line break) gets an apostrophe before
/// it.
void append_csv_row(std::string& out, const std::vector<std::string>& cells);

} // namespace depositd
