#include "adapters/shell/table.hpp"

#include "messages/values/utf8.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>

namespace depositd::shell {

namespace {

bool harmless(std::uint32_t value) {
  const bool control = value < 0x20 || (value >= 0x7f && value < 0xa0);
  const bool turns = value == 0x061c || (value >= 0x200b && value <= 0x200f)
                     || (value >= 0x2028 && value <= 0x202e)
                     || (value >= 0x2060 && value <= 0x206f) || value == 0xfeff
                     || (value >= 0xe0000 && value < 0xe1000);
  return !control && !turns;
}

std::string shown(std::uint32_t value) {
  char out[16];
  if (value == '\n')
    return "\\n";
  if (value == '\r')
    return "\\r";
  if (value == '\t')
    return "\\t";
  std::snprintf(out, sizeof(out), value < 0x100 ? "\\x%02x" : "\\u{%x}", value);
  return out;
}

void pad(std::string& line, const std::string& cell, std::size_t width,
         bool right) {
  const auto fill = width - std::min(width, width_of(cell));
  if (right)
    line.append(fill, ' ');
  line += cell;
  if (!right)
    line.append(fill, ' ');
}

} // namespace

std::string escaped(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const auto next = first_character(text);
    if (next.bytes == 0)
      out += shown(static_cast<unsigned char>(text.front()));
    else if (harmless(next.code))
      out += text.substr(0, next.bytes);
    else
      out += shown(next.code);
    text.remove_prefix(std::max<std::size_t>(next.bytes, 1));
  }
  return out;
}

std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(
    text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

table::table(std::vector<std::string> titles) : titles_(std::move(titles)) {
  for (auto& title : titles_) {
    right_.push_back(title.front() == '>');
    if (right_.back())
      title.erase(0, 1);
  }
}

void table::add(std::vector<std::string> cells) {
  cells.resize(titles_.size());
  for (auto& cell : cells)
    cell = escaped(cell);
  rows_.push_back(std::move(cells));
}

std::string table::text() const {
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < titles_.size(); ++i) {
    widths.push_back(width_of(titles_[i]));
    for (const auto& row : rows_)
      widths[i] = std::max(widths[i], width_of(row[i]));
  }
  std::string out;
  const auto add_line = [&](const std::vector<std::string>& cells) {
    std::string line;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (i > 0)
        line += "  ";
      pad(line, cells[i], widths[i], right_[i]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  };
  add_line(titles_);
  for (const auto& row : rows_)
    add_line(row);
  return out;
}

std::string
pairs(const std::vector<std::pair<std::string, std::string>>& entries) {
  std::size_t width = 0;
  for (const auto& [name, value] : entries)
    width = std::max(width, name.size());
  std::string out;
  for (const auto& [name, value] : entries)
    out += name + ":" + std::string(width - name.size() + 1, ' ')
           + escaped(value) + "\n";
  return out;
}

} // namespace depositd::shell
