#pragma once

// Where a query names `:limit` and `:cursor`, in no particular dialect.

#include <string>
#include <string_view>
#include <vector>

namespace depositd {

/// Text of a query, or a place at which a value is bound.
struct sql_piece {
  enum class what { text, limit, cursor };
  what is = what::text;
  std::string text; ///< of `text`

  friend bool operator==(const sql_piece&, const sql_piece&) = default;
};

/// The pieces in their order; put together, they are the query. Quoted text
/// (single, double, dollar quotes), comments and `::` stay text.
std::vector<sql_piece> sql_pieces(std::string_view query);

/// Whether a query names that place.
bool names_place(std::string_view query, sql_piece::what place);

} // namespace depositd
