#include "adapters/shell/rendering.hpp"

#include "adapters/shell/cells.hpp"
#include "adapters/shell/table.hpp"
#include "messages/values/json_text.hpp"

#include <algorithm>
#include <utility>

namespace depositd::shell {

namespace {

using named_values = std::vector<std::pair<std::string, std::string>>;

/// Every field of a flat object but one, one per line.
std::string fields(const document& x, const std::string& but = "") {
  named_values out;
  for (const auto& [key, value] : x.items())
    if (key != but)
      out.emplace_back(escaped(key), shown(value));
  return pairs(out);
}

/// Whether the row is one of those that "path=text" means; empty means all.
bool is_meant(const std::string& where, const document& row) {
  const auto mark = where.find('=');
  return where.empty()
         || shown(value_at(row, where.substr(0, mark)))
              == where.substr(mark + 1);
}

std::vector<document> rows_of(const view_block& block, const document& x) {
  if (block.rows.empty())
    return {x};
  auto out = entries(value_at(x, block.rows));
  std::erase_if(out,
                [&](const auto& row) { return !is_meant(block.where, row); });
  return out;
}

/// One line: cells of the row around it only if they are `first`.
table_row cells(const view_block& block, const document& row,
                const document* inner, bool first) {
  table_row out;
  for (const auto& column : block.columns)
    if (block.inner.empty())
      out.push_back(cell_text(column.cell, row));
    else if (column.outer)
      out.push_back(first ? cell_text(column.cell, row) : "");
    else
      out.push_back(inner ? cell_text(column.cell, *inner) : "");
  return out;
}

void add_rows(std::vector<table_row>& to, const view_block& block,
              const document& x) {
  for (const auto& row : rows_of(block, x)) {
    const auto inner = block.inner.empty()
                         ? std::vector<document>{}
                         : entries(value_at(row, block.inner));
    if (inner.empty())
      to.push_back(cells(block, row, nullptr, true));
    for (std::size_t i = 0; i < inner.size(); ++i)
      to.push_back(cells(block, row, &inner[i], i == 0));
  }
}

/// A table with the blocks behind it that belong to it; `at` becomes the last.
std::string table_text(std::vector<view_block>::const_iterator& at,
                       std::vector<view_block>::const_iterator end,
                       const document& x) {
  table_row titles;
  for (const auto& column : at->columns)
    titles.push_back(column.title);
  std::vector<table_row> rows;
  add_rows(rows, *at, x);
  for (; std::next(at) != end && std::next(at)->joins; ++at)
    add_rows(rows, *std::next(at), x);
  return table(std::move(titles), std::move(rows));
}

std::string line_by_line(const std::string& text) {
  std::string out;
  std::size_t from = 0;
  while (from < text.size()) {
    const auto end = std::min(text.find('\n', from), text.size());
    out += escaped(text.substr(from, end - from)) + "\n";
    from = end + 1;
  }
  return out;
}

std::string pairs_text(const view_block& block, const document& x) {
  named_values out;
  for (const auto& column : block.columns)
    out.emplace_back(column.title, cell_text(column.cell, x));
  return pairs(out);
}

std::string lines_text(const view_block& block, const document& x) {
  std::string out;
  for (const auto& row : rows_of(block, x))
    out += escaped(cell_text(block.text, row)) + "\n";
  return out;
}

} // namespace

std::string rendered(const std::vector<view_block>& view,
                     const std::string& text) {
  const auto x = ordered_json_of(text);
  if (!x.is_object())
    return escaped(text) + "\n";
  if (view.empty())
    return fields(x);
  std::string out;
  for (auto block = view.begin(); block != view.end(); ++block) {
    if (!block->when.empty() && !is_there(value_at(x, block->when)))
      continue;
    out += block->gap ? "\n" : "";
    switch (block->kind) {
      case block_kind::table:
        out += table_text(block, view.end(), x);
        break;
      case block_kind::pairs:
        out += pairs_text(*block, x);
        break;
      case block_kind::line:
        out += lines_text(*block, x);
        break;
      case block_kind::fields:
        out += fields(x, block->text);
        break;
      case block_kind::file:
      case block_kind::lines:
        out += line_by_line(shown(value_at(x, block->text)));
        break;
    }
  }
  return out;
}

std::optional<std::string> file_in(const std::vector<view_block>& view,
                                   const std::string& text) {
  const auto x = ordered_json_of(text);
  for (const auto& block : view) {
    if (block.kind != block_kind::file)
      continue;
    if (const auto found = value_at(x, block.text); found.is_string())
      return found.get<std::string>();
  }
  return std::nullopt;
}

std::vector<view_block> without_files(std::vector<view_block> view) {
  std::erase_if(view, [](const auto& x) { return x.kind == block_kind::file; });
  return view;
}

std::vector<std::string> first_column(const std::vector<view_block>& view,
                                      const std::string& text) {
  std::vector<std::string> out;
  const auto x = ordered_json_of(text);
  for (const auto& block : view) {
    if (block.kind != block_kind::table || block.columns.empty())
      continue;
    for (const auto& row : rows_of(block, x))
      if (auto name = cell_text(block.columns.front().cell, row); name != "-")
        out.push_back(std::move(name));
    break;
  }
  return out;
}

} // namespace depositd::shell
