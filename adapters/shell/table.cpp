#include "adapters/shell/table.hpp"

#include "messages/values/utf8.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>

namespace depositd::shell {

namespace {

const std::string cut_mark = "...";

/// A longer cell makes no table; documents have it whole.
constexpr std::size_t cell_width_max = 200;

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

std::string padded(const std::string& cell, std::size_t width, bool right) {
  const std::string fill(width - width_of(cell), ' ');
  return right ? fill + cell : cell + fill;
}

} // namespace

std::string escaped(std::string_view text, std::size_t width_max) {
  std::string out;
  std::size_t width = 0;
  std::size_t shortened = 0; // bytes of `out` that have room beside the mark
  while (!text.empty()) {
    const auto next = first_character(text);
    const auto one =
      next.bytes == 0       ? shown(static_cast<unsigned char>(text.front()))
      : harmless(next.code) ? std::string{text.substr(0, next.bytes)}
                            : shown(next.code);
    width += width_of(one);
    if (width > width_max)
      return out.substr(0, shortened) + cut_mark;
    out += one;
    if (width + cut_mark.size() <= width_max)
      shortened = out.size();
    text.remove_prefix(std::max<std::size_t>(next.bytes, 1));
  }
  return out;
}

std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(
    text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

std::string table(table_row titles, std::vector<table_row> rows) {
  std::vector<bool> right;
  for (auto& title : titles) {
    right.push_back(title.starts_with('>'));
    title.erase(0, right.back());
  }
  std::vector<std::size_t> widths(titles.size());
  rows.insert(rows.begin(), std::move(titles));
  for (auto& row : rows) {
    row.resize(widths.size());
    for (std::size_t i = 0; i < row.size(); ++i) {
      row[i] = escaped(row[i], cell_width_max);
      widths[i] = std::max(widths[i], width_of(row[i]));
    }
  }
  std::string out;
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i)
      out += (i > 0 ? "  " : "") + padded(row[i], widths[i], right[i]);
    out.erase(out.find_last_not_of(' ') + 1);
    out += "\n";
  }
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
