#pragma once

// The projection in PostgreSQL: tables that people may read, too. See
// migrations/0002_projection.sql for what is in them.

#include "adapters/stores/postgres/postgres_options.hpp"
#include "messages/ports/projection_store.hpp"

#include <memory>

namespace depositd {

struct postgres_projection_options {
  postgres_options server;

  /// Epoch of the journal: slices are refused once another engine has the
  /// shard. 0: nobody asks.
  epoch_number epoch = 0;
};

/// Opens the tables of the shard, or begins them; brings the schema up to date.
/// `ec::store_failed` if the server refuses or the schema is of a later
/// version, `ec::store_damaged` if the marks are missing or wrong.
///
/// Damage of what recovery loads is found by loading it; that of submissions
/// when they are read. `apply` gives `ec::fenced` if another engine has the
/// shard. If the connection is lost during it, the store looks what became of
/// the transaction before it says anything. All calls must come from one thread
/// at a time. `backup` is refused: PostgreSQL has its own tools.
caf::expected<std::unique_ptr<projection_store>>
open_postgres_projection(const postgres_projection_options& options);

} // namespace depositd
