#pragma once

// The journal in PostgreSQL: one row per group, one table per segment.

#include "adapters/stores/postgres/postgres_options.hpp"
#include "messages/ports/journal_store.hpp"

#include <memory>

namespace depositd {

struct postgres_journal_options {
  postgres_options server;

  /// A segment is closed once it holds this many bytes.
  std::uint64_t segment_bytes = 64ULL * 1024 * 1024;

  /// Refuses a shard that another engine has open, after waiting this long for
  /// it to end; 0: takes it from whoever has it, who is fenced then.
  std::uint32_t owner_wait_ms = 5'000;

  /// How often something is said in the session that holds the shard's lock,
  /// lest who stands in between end it because nothing happens; not 0. If it is
  /// lost all the same, it is begun again and the lock asked for.
  std::uint32_t session_pause_ms = 3'000;

  /// Not 0: the shard was taken under this epoch already (see shard_leases), so
  /// no lock is asked for and no epoch taken; `owner_wait_ms` is not used.
  epoch_number epoch = 0;
};

/// Opens the journal of the shard, or begins one, under a new epoch; brings the
/// schema up to date. `ec::store_failed` if the server refuses, the schema is
/// of a later version, or another engine has the shard; `ec::fenced` if that
/// holds of the epoch given; `ec::store_damaged` if groups are missing.
///
/// When the connection is lost during an append, the store connects again, puts
/// whatever is still under way out of force, looks whether the group is there,
/// and either says so or appends it again. If the server stays away, the append
/// fails; should the group turn up later, it is taken out before the next one.
///
/// Appends, reads and bodies have connections of their own, and a thread keeps
/// that of appends if it holds a lock: without one it is kept by appends alone,
/// and that is in the log (`journal_session_not_kept`). `backup` is
/// refused: PostgreSQL has its own tools.
caf::expected<std::unique_ptr<journal_store>>
open_postgres_journal(const postgres_journal_options& options);

} // namespace depositd
