#pragma once

// Blobs in PostgreSQL, for engines on several machines.

#include "adapters/stores/postgres/postgres_options.hpp"
#include "messages/ports/blob_store.hpp"

#include <memory>

namespace depositd {

/// Brings the schema up to date. `ec::store_failed` if the server refuses. All
/// shards of a schema share their blobs. `backup` is refused: PostgreSQL has
/// its own tools.
caf::expected<std::unique_ptr<blob_store>>
open_postgres_blobs(const postgres_options& options);

} // namespace depositd
