#include "adapters/sources/sql/positions.hpp"

#include "adapters/sources/sql/integer_text.hpp"

namespace depositd::sources::sql {

namespace {

using value_list = std::vector<std::optional<std::string_view>>;

/// Behind the last row that shares the value of the row at `first`.
std::size_t end_of_group(const value_list& values, std::size_t first,
                         std::string_view value) {
  auto end = first + 1;
  while (end < values.size() && values[end].value_or(value) == value)
    ++end;
  return end;
}

} // namespace

read_positions positions_of(const value_list& values, std::string_view from,
                            bool full, bool repeats) {
  read_positions out;
  out.behind.reserve(values.size());
  out.end = from;
  out.repeats = repeats;
  for (std::size_t first = 0; first < values.size();) {
    const auto value = values[first].value_or(out.end);
    const auto end = end_of_group(values, first, value);
    out.repeats = out.repeats || end - first > 1;
    const bool cut =
      full && end == values.size() && (out.repeats || value == from);
    out.behind.insert(out.behind.end(), end - first - 1, out.end);
    out.behind.push_back(cut ? out.end : value);
    out.enough = !cut || out.end != from;
    if (!cut)
      out.end = value;
    first = end;
  }
  return out;
}

std::optional<std::size_t>
descending_at(const std::vector<std::optional<std::string_view>>& values,
              std::string_view from) {
  auto before = read_integer(from);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto here = values[i] ? read_integer(*values[i]) : std::nullopt;
    if (!here)
      continue;
    if (before && *here < *before)
      return i;
    before = here;
  }
  return std::nullopt;
}

} // namespace depositd::sources::sql
