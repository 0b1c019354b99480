#include "adapters/shell/cells.hpp"

#include "messages/values/json_text.hpp"

#include <algorithm>
#include <string_view>

namespace depositd::shell {

namespace {

/// A part of a cell: its text, and whether all it stands for is there.
struct part {
  std::string text;
  bool whole = true;
};

/// Splits at a mark; always one piece at least.
std::vector<std::string> split(const std::string& text, std::string_view mark) {
  std::vector<std::string> out;
  std::size_t from = 0;
  for (;;) {
    const auto at = text.find(mark, from);
    out.push_back(text.substr(from, at - from));
    if (at == std::string::npos)
      return out;
    from = at + mark.size();
  }
}

std::string sum_of(const document& x) {
  std::int64_t out = 0;
  for (const auto& entry : entries(x))
    if (entry.is_number())
      out += entry.get<std::int64_t>();
  return std::to_string(out);
}

/// "path", "path:how", "flag?word".
part one_value(const std::string& name, const document& row) {
  const auto mark = name.find_first_of(":?");
  const auto path = name.substr(0, mark);
  const auto value = value_at(row, path);
  if (mark == std::string::npos)
    return {shown(value), is_there(value) || value == false};
  const auto how = name.substr(mark + 1);
  if (name[mark] == '?') {
    const bool on = value.is_boolean() && value.get<bool>();
    return {on ? how.empty() ? path : how : "-", on};
  }
  if (how == "count")
    return {std::to_string(entries(value).size()), true};
  if (how == "sum")
    return {sum_of(value), true};
  // Times to the second are enough in tables.
  auto text = shown(value);
  if (how == "time" && text.size() == 24)
    text = text.substr(0, 19) + "Z";
  return {text, is_there(value)};
}

/// What stands between braces: one value, or those of several that are there.
part joined_values(const std::string& names, const document& row) {
  const auto all = split(names, ",");
  if (all.size() == 1)
    return one_value(names, row);
  part out{"", false};
  for (const auto& name : all)
    if (const auto value = one_value(name, row); value.whole) {
      out.text += (out.whole ? "," : "") + value.text;
      out.whole = true;
    }
  if (!out.whole)
    return {"-", false};
  return out;
}

part filled(const std::string& text, const document& row) {
  part out;
  std::size_t from = 0;
  for (;;) {
    const auto open = text.find('{', from);
    const auto close = text.find('}', open);
    out.text += text.substr(from, open - from);
    if (open == std::string::npos || close == std::string::npos)
      return out;
    const auto value =
      joined_values(text.substr(open + 1, close - open - 1), row);
    out.text += value.text;
    out.whole = out.whole && value.whole;
    from = close + 1;
  }
}

} // namespace

std::string shown(const document& x) {
  if (x.is_string())
    return x.get<std::string>();
  if (x.is_null())
    return "-";
  if (x.is_boolean())
    return x.get<bool>() ? "yes" : "no";
  if (x.is_array()) {
    std::string out;
    for (const auto& entry : x) {
      out += out.empty() ? "" : ",";
      out += shown(entry);
    }
    return out.empty() ? "-" : out;
  }
  return json_text(x);
}

document value_at(const document& x, const std::string& path) {
  if (x.is_array()) {
    auto out = document::array();
    for (const auto& entry : x)
      out.push_back(value_at(entry, path));
    return out;
  }
  const auto dot = path.find('.');
  const auto key = path.substr(0, dot);
  if (!x.is_object() || !x.contains(key))
    return nullptr;
  return dot == std::string::npos ? x[key]
                                  : value_at(x[key], path.substr(dot + 1));
}

std::vector<document> entries(const document& x) {
  if (!x.is_array())
    return {};
  return {x.begin(), x.end()};
}

bool is_there(const document& x) {
  if (x.is_boolean())
    return x.get<bool>();
  if (x.is_string())
    return !x.get_ref<const std::string&>().empty();
  return !x.is_null() && !(x.is_array() && x.empty());
}

std::string cell_text(const std::string& cell, const document& row) {
  part out;
  for (const auto& alternative : split(cell, "||")) {
    out = filled(alternative, row);
    if (out.whole)
      break;
  }
  return out.text;
}

} // namespace depositd::shell
