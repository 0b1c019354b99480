#include "adapters/sources/sql/query_text.hpp"

#include "messages/values/sql_pieces.hpp"

#include <algorithm>

namespace depositd::sources::sql {

namespace {

/// Number of the parameter, from 1; the same one each time if `shared`.
std::size_t number_for(std::vector<placeholder>& bound, placeholder x,
                       bool shared) {
  const auto known = std::find(bound.begin(), bound.end(), x);
  if (shared && known != bound.end())
    return static_cast<std::size_t>(known - bound.begin()) + 1;
  bound.push_back(x);
  return bound.size();
}

std::string sign_of(dialect to, std::size_t number) {
  switch (to) {
    case dialect::postgres:
      return "$" + std::to_string(number);
    case dialect::sqlite:
      return "?" + std::to_string(number);
    case dialect::odbc:
      return "?";
  }
  return {};
}

} // namespace

bool query_text::has(placeholder x) const noexcept {
  return std::find(bound.begin(), bound.end(), x) != bound.end();
}

caf::expected<query_text> query_for(dialect to, std::string_view query) {
  if (query.find_first_not_of(" \t\r\n;") == query.npos)
    return caf::make_error(ec::invalid_argument, "there is no query");
  if (query.find('\0') != query.npos)
    return caf::make_error(ec::invalid_argument, "the query has a NUL byte");
  query_text out;
  for (const auto& piece : sql_pieces(query)) {
    if (piece.is == sql_piece::what::text) {
      out.text += piece.text;
      continue;
    }
    const auto number =
      number_for(out.bound,
                 piece.is == sql_piece::what::limit ? placeholder::limit
                                                    : placeholder::cursor,
                 to != dialect::odbc);
    // "LIMIT:limit": LIMIT$1 would be a name in PostgreSQL.
    if (!out.text.empty() && out.text.back() != ' ')
      out.text += ' ';
    out.text += sign_of(to, number);
  }
  return out;
}

} // namespace depositd::sources::sql
