#include "messages/values/csv.hpp"

namespace depositd {

namespace {

void append_cell(std::string& out, std::string_view cell) {
  // Spreadsheets pass over blanks before a formula.
  const auto first = cell.find_first_not_of(' ');
  const bool formula =
    first != cell.npos
    && std::string_view{"=+-@\t\r\n"}.find(cell[first]) != cell.npos;
  if (!formula && cell.find_first_of("\",\r\n;\t") == cell.npos) {
    out += cell;
    return;
  }
  out += '"';
  if (formula)
    out += '\'';
  for (const char c : cell) {
    if (c == '"')
      out += '"';
    out += c;
  }
  out += '"';
}

} // namespace

void append_csv_row(std::string& out, const std::vector<std::string>& cells) {
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (i > 0)
      out += ',';
    append_cell(out, cells[i]);
  }
  out += "\r\n";
}

} // namespace depositd
