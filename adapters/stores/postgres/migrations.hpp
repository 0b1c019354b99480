#pragma once

// The schema, in steps that are never changed once they were released: a file
// of migrations/ each.

#include "adapters/stores/postgres/connection.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

namespace depositd::postgres {

/// The steps in order; a database that has done all has this many as version.
const std::vector<std::string_view>& migrations();

/// The version that this program brings a schema to.
std::uint64_t schema_known();

/// Brings the schema that the connection's search path names first up to date,
/// under a lock, in one transaction. `ec::store_failed` if it was made by a
/// later version of depositd, or if engines run on an earlier schema: they
/// would write what later ones have given another meaning; `ec::bad_setting` if
/// the database has not every letter. Nothing is changed then.
caf::error migrate(connection& to);

} // namespace depositd::postgres
