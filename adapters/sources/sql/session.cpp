#include "adapters/sources/sql/session.hpp"

#include "adapters/sources/sql/odbc_session.hpp"
#include "adapters/sources/sql/postgres_session.hpp"
#include "adapters/sources/sql/sqlite_session.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

namespace depositd::sources::sql {

namespace {

/// What a cell takes beside its text.
constexpr std::uint64_t cell_bytes = sizeof(cell);

constexpr std::string_view sqlite_scheme = "sqlite:";
constexpr std::string_view odbc_scheme = "odbc:";

/// Digits beyond what an integer of SQL can have, and fractions.
std::optional<std::uint64_t> whole(const std::string& text) {
  std::uint64_t number = 0;
  const auto* end = text.data() + text.size();
  const auto exact = std::from_chars(text.data(), end, number);
  if (exact.ec == std::errc{} && exact.ptr == end)
    return number;
  double value = 0;
  const auto rough = std::from_chars(text.data(), end, value);
  if (rough.ec != std::errc{} || rough.ptr != end || !(value >= 0)
      || value > 1e18)
    return std::nullopt;
  return static_cast<std::uint64_t>(std::ceil(value));
}

} // namespace

std::optional<std::size_t> answer::find(std::string_view column) const {
  const auto at = std::find(columns.begin(), columns.end(), column);
  if (at == columns.end())
    return std::nullopt;
  return static_cast<std::size_t>(at - columns.begin());
}

void answer_filler::set_columns(std::vector<std::string> names) {
  out_.columns = std::move(names);
}

bool answer_filler::begin_row() {
  if (out_.rows() < rows_max_)
    return true;
  out_.more = true;
  return false;
}

void answer_filler::add(cell_kind kind, std::string text) {
  bytes_ += cell_bytes + text.size();
  out_.cells.push_back({kind, std::move(text)});
}

bool answer_filler::end_row() {
  if (bytes_ <= answer_bytes_max)
    return true;
  out_.cells.resize(out_.cells.size() - out_.columns.size());
  out_.more = true;
  return false;
}

bool is_postgres(std::string_view url) noexcept {
  return url.starts_with("postgresql://") || url.starts_with("postgres://");
}

bool is_sqlite(std::string_view url) noexcept {
  return url.starts_with(sqlite_scheme);
}

bool is_odbc(std::string_view url) noexcept {
  return url.starts_with(odbc_scheme);
}

dialect dialect_of(std::string_view url) noexcept {
  return is_sqlite(url) ? dialect::sqlite
         : is_odbc(url) ? dialect::odbc
                        : dialect::postgres;
}

caf::expected<std::unique_ptr<session>> make_session(const std::string& url,
                                                     const std::string& name) {
  if (is_postgres(url))
    return make_postgres_session(url, name);
  if (is_sqlite(url))
    return make_sqlite_session(url.substr(sqlite_scheme.size()));
  if (is_odbc(url))
    return make_odbc_session(url.substr(odbc_scheme.size()));
  return caf::make_error(ec::invalid_argument,
                         "url: expected postgresql://..., "
                         "sqlite:/ABSOLUTE/FILE or odbc:CONNECTION STRING");
}

caf::expected<std::uint64_t> number_of(const answer& x) {
  const auto malformed = [](const std::string& what) {
    return caf::make_error(ec::malformed,
                           "gives " + what + " instead of one number");
  };
  if (x.columns.size() != 1 || x.rows() != 1 || x.more)
    return malformed(std::to_string(x.rows()) + (x.more ? " or more" : "")
                     + " rows of " + std::to_string(x.columns.size())
                     + " columns");
  const auto& only = x.at(0, 0);
  if (only.kind == cell_kind::null)
    return malformed("null");
  const bool numeric = only.kind == cell_kind::integer
                       || only.kind == cell_kind::number
                       || only.kind == cell_kind::text;
  const auto out = numeric ? whole(only.text) : std::nullopt;
  if (!out)
    return malformed(numeric && only.text.starts_with('-') ? "a negative one"
                                                           : "something else");
  return *out;
}

caf::error no_rows_given() {
  return caf::make_error(ec::invalid_argument,
                         "the query is no statement that gives rows");
}

} // namespace depositd::sources::sql
