#include "adapters/sources/sql/row_object.hpp"

#include "adapters/doors/kit/json_text.hpp"
#include "messages/values/base64.hpp"

#include <string_view>

namespace depositd::sources::sql {

namespace {

/// Removes digits at the beginning; how many there were.
std::size_t take_digits(std::string_view& text) {
  std::size_t count = 0;
  while (count < text.size() && text[count] >= '0' && text[count] <= '9')
    ++count;
  text.remove_prefix(count);
  return count;
}

/// Some databases write no zero before the point.
std::string with_zero(const std::string& text) {
  if (text.starts_with('.'))
    return "0" + text;
  if (text.starts_with("-."))
    return "-0" + text.substr(1);
  return text;
}

void append_number(std::string& to, const std::string& text) {
  const auto number = with_zero(text);
  if (is_json_number(number))
    to += number;
  else
    kit::append_json_string(to, text);
}

void append_value(std::string& to, const cell& x) {
  switch (x.kind) {
    case cell_kind::null:
      to += "null";
      return;
    case cell_kind::integer:
    case cell_kind::number:
      return append_number(to, x.text);
    case cell_kind::boolean:
    case cell_kind::json:
      to += x.text;
      return;
    case cell_kind::bytes:
      to += '"';
      to += encode_base64(x.text);
      to += '"';
      return;
    case cell_kind::text:
      return kit::append_json_string(to, x.text);
  }
}

} // namespace

bool is_json_number(std::string_view text) {
  if (text.starts_with('-'))
    text.remove_prefix(1);
  const bool zero = text.starts_with('0');
  const auto digits = take_digits(text);
  if (digits == 0 || (zero && digits > 1))
    return false;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    if (take_digits(text) == 0)
      return false;
  }
  if (text.starts_with('e') || text.starts_with('E')) {
    text.remove_prefix(1);
    if (text.starts_with('+') || text.starts_with('-'))
      text.remove_prefix(1);
    if (take_digits(text) == 0)
      return false;
  }
  return text.empty();
}

row_writer::row_writer(const answer& rows) : rows_(rows) {
  for (std::size_t i = 0; i < rows.columns.size(); ++i) {
    if (rows.find(rows.columns[i]) != i)
      continue;
    member x{i, {}};
    kit::append_json_string(x.name, rows.columns[i]);
    x.name += ':';
    members_.push_back(std::move(x));
  }
}

std::string row_writer::object(std::size_t row) const {
  std::string out = "{";
  for (const auto& x : members_) {
    if (out.size() > 1)
      out += ',';
    out += x.name;
    append_value(out, rows_.at(row, x.column));
  }
  out += '}';
  return out;
}

} // namespace depositd::sources::sql
