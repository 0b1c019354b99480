#pragma once

// The registry of DOIs in PostgreSQL, for engines on several machines.

#include "adapters/stores/postgres/postgres_options.hpp"
#include "messages/ports/doi_registry.hpp"

#include <memory>

namespace depositd {

/// Brings the schema up to date. `ec::store_failed` if the server refuses. All
/// shards of a schema share the registry. Damage of a record is found when it
/// is read. `backup` is refused: PostgreSQL has its own tools.
caf::expected<std::unique_ptr<doi_registry>>
open_postgres_registry(const postgres_options& options);

} // namespace depositd
