#include "messages/values/csv.hpp"

#include <algorithm>

namespace depositd {

namespace {

void append_cell(std::string& out, std::string_view cell) {
  const bool formula = is_formula(cell);
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

/// Reads one table from its beginning to its end.
class csv_reader {
public:
  explicit csv_reader(std::string_view text) : text_(text) {}

  bool at_end() const noexcept {
    return at_ == text_.size();
  }

  /// The next row. False if a quote is wrong.
  bool read_row(std::vector<std::string>& out) {
    out.clear();
    for (;;) {
      out.emplace_back();
      if (!(text_.substr(at_).starts_with('"') ? read_quoted(out.back())
                                               : read_plain(out.back())))
        return false;
      if (at_end() || text_[at_] != ',')
        break;
      ++at_;
    }
    if (text_.substr(at_).starts_with("\r\n"))
      at_ += 2;
    else if (!at_end() && text_[at_] == '\n')
      ++at_;
    else
      return at_end();
    return true;
  }

private:
  bool read_plain(std::string& out) {
    auto end = std::min(text_.find_first_of(",\n", at_), text_.size());
    if (end < text_.size() && text_[end] == '\n' && end > at_
        && text_[end - 1] == '\r')
      --end;
    out = text_.substr(at_, end - at_);
    at_ = end;
    return out.find('"') == out.npos;
  }

  bool read_quoted(std::string& out) {
    for (++at_;; ++at_) {
      const auto end = text_.find('"', at_);
      if (end == text_.npos)
        return false;
      out += text_.substr(at_, end - at_);
      at_ = end + 1;
      if (at_end() || text_[at_] != '"')
        return true;
      out += '"';
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

} // namespace

bool is_formula(std::string_view cell) noexcept {
  // Spreadsheets pass over blanks before a formula.
  const auto first = cell.find_first_not_of(' ');
  return first != cell.npos
         && std::string_view{"=+-@\t\r\n"}.find(cell[first]) != cell.npos;
}

caf::expected<std::vector<std::vector<std::string>>>
read_csv(std::string_view text, std::size_t rows_max) {
  if (text.starts_with("\xEF\xBB\xBF"))
    text.remove_prefix(3);
  csv_reader reader{text};
  std::vector<std::vector<std::string>> out;
  while (!reader.at_end()) {
    if (out.size() == rows_max)
      return caf::make_error(ec::too_large, "the table has more than "
                                              + std::to_string(rows_max)
                                              + " rows");
    out.emplace_back();
    if (!reader.read_row(out.back()))
      return caf::make_error(ec::malformed, "row " + std::to_string(out.size())
                                              + ": a quote is wrong");
  }
  return out;
}

void append_csv_row(std::string& out, const std::vector<std::string>& cells) {
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (i > 0)
      out += ',';
    append_cell(out, cells[i]);
  }
  out += "\r\n";
}

} // namespace depositd
