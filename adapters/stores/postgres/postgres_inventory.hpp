#pragma once

// The inventory in PostgreSQL, for engines on several machines.

#include "adapters/stores/postgres/postgres_options.hpp"
#include "messages/ports/inventory.hpp"

#include <memory>

namespace depositd {

/// Brings the schema up to date. `ec::store_failed` if the server refuses. All
/// shards of a schema share the inventory. Damage of an object, a version or a
/// file is found when it is read.
caf::expected<std::unique_ptr<inventory>>
open_postgres_inventory(const postgres_options& options);

} // namespace depositd
