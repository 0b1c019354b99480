#pragma once

// A query as a database takes it: its places `:limit` and `:cursor` as
// parameters of that dialect.

#include "messages/values/errors.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace depositd::sources::sql {

enum class dialect : std::uint8_t {
  postgres, ///< $1, $2
  sqlite,   ///< ?1, ?2
  odbc,     ///< ? each time
};

enum class placeholder : std::uint8_t { limit, cursor };

struct query_text {
  std::string text;
  /// By the number of the parameter, from 0; of ODBC by its place.
  std::vector<placeholder> bound;

  bool has(placeholder x) const noexcept;

  friend bool operator==(const query_text&, const query_text&) = default;
};

/// `:limit` and `:cursor` may stand anywhere and any number of times; quoted
/// text, comments and `::` stay as they are (see `sql_pieces`).
/// `ec::invalid_argument`: there is no query, or it has a NUL byte.
caf::expected<query_text> query_for(dialect to, std::string_view query);

} // namespace depositd::sources::sql
