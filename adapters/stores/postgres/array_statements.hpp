#pragma once

// SQL for many rows at once: an array for each of their columns.

#include "adapters/stores/rows/row_columns.hpp"
#include "adapters/stores/rows/sql_text.hpp"

#include <cstddef>
#include <string>

namespace depositd::postgres::statements {

/// Rows called x, of an array for each of the fields. `first` is the number of
/// the parameter with the first: the shard stands before those of a projection.
constexpr std::string arrays(const rows::fields& all, std::size_t first = 2) {
  std::string out = "unnest(";
  for (std::size_t at = 0; at < all.size(); ++at)
    out += rows::joined({at == 0 ? "$" : ", $", rows::digits(at + first),
                         all[at].of == rows::kind::number ? "::bigint[]"
                         : all[at].of == rows::kind::text ? "::text[]"
                                                          : "::bytea[]"});
  return rows::joined({out, ") AS x(", rows::listed(all), ")"});
}

} // namespace depositd::postgres::statements
