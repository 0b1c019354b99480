#include "actors/rules/sources/failed_records.hpp"

#include "messages/values/csv.hpp"

#include <algorithm>
#include <array>

namespace depositd::rules {

namespace {

/// Whether a cell is an apostrophe, or some, before what would be a formula:
/// one that was there before gets another, so that one can be taken away.
bool is_guarded(std::string_view cell) {
  const auto quotes = cell.find_first_not_of('\'');
  return quotes != 0 && quotes != cell.npos && is_formula(cell.substr(quotes));
}

std::string guard_again(const std::string& cell) {
  return is_guarded(cell) ? "'" + cell : cell;
}

std::string without_guard(std::string cell) {
  if (is_guarded(cell))
    cell.erase(0, 1);
  return cell;
}

} // namespace

std::string write_failed(const std::vector<failed_record>& records) {
  std::string out;
  append_csv_row(out, {"key", "user", "error", "body"});
  for (const auto& x : records)
    append_csv_row(out, {guard_again(x.key), guard_again(x.user),
                         guard_again(x.error), guard_again(x.body)});
  return out;
}

caf::expected<std::vector<failed_record>> read_failed(std::string_view csv,
                                                      std::size_t records_max) {
  auto rows = read_csv(csv, records_max + 1);
  if (!rows)
    return std::move(rows.error());
  if (rows->empty())
    return caf::make_error(ec::malformed, std::string{"the table is empty"});
  const auto& header = rows->front();
  constexpr std::array names{"key", "user", "error", "body"};
  std::array<std::size_t, 4> columns{};
  for (std::size_t i = 0; i < names.size(); ++i) {
    columns[i] = static_cast<std::size_t>(
      std::find(header.begin(), header.end(), names[i]) - header.begin());
    if (columns[i] == header.size() && names[i] != std::string_view{"error"})
      return caf::make_error(
        ec::malformed, std::string{"row 1: there is no column "} + names[i]);
  }
  std::vector<failed_record> out;
  for (std::size_t row = 1; row < rows->size(); ++row) {
    auto& cells = (*rows)[row];
    if (cells.size() == 1 && cells[0].empty())
      continue; // an empty line
    if (cells.size() != header.size())
      return caf::make_error(ec::malformed,
                             "row " + std::to_string(row + 1) + ": has "
                               + std::to_string(cells.size()) + " cells, not "
                               + std::to_string(header.size()));
    const auto cell = [&](std::size_t i) {
      return columns[i] < cells.size() ? without_guard(cells[columns[i]])
                                       : std::string{};
    };
    out.push_back({cell(0), cell(1), cell(2), cell(3)});
    if (out.back().key.empty())
      return caf::make_error(ec::malformed,
                             "row " + std::to_string(row + 1) + ": has no key");
  }
  return out;
}

} // namespace depositd::rules
