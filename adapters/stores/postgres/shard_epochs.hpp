#pragma once

// The next epoch of a shard. On a server that is not the one on which the last
// was given, or has another history since, or where a dump was brought in,
// others may have been given of which nothing is known here: they are passed
// over.

#include "adapters/stores/postgres/connection.hpp"
#include "messages/values/types.hpp"

#include <cstdint>
#include <string>

namespace depositd::postgres {

/// What tells a server and its history from others; empty where one that only
/// speaks as PostgreSQL does cannot say. Not inside a transaction.
caf::expected<std::string> server_of(connection& to);

/// Raises the epoch of a shard, on this server, above `known` as well: one row,
/// the epoch and the session.
caf::expected<result> raise_epoch(connection& to, std::uint32_t shard,
                                  epoch_number known,
                                  const std::string& server);

/// The same for somebody who knows no epoch. Not inside a transaction.
caf::expected<result> raise_epoch(connection& to, std::uint32_t shard);

} // namespace depositd::postgres
