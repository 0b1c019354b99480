#pragma once

// Whether connections have sessions of their own. Behind a pooler that lends
// sessions out by the transaction they have not: the lock that says that a
// shard is in use, and what a session was set to, would be anybody's.

#include "adapters/stores/postgres/connection.hpp"

namespace depositd::postgres {

/// `ec::store_failed` if what is set for `other` holds for `one` too.
caf::error check_apart(connection& one, connection& other);

/// The same of two new connections, which are closed again. A pooler that has
/// other clients at that moment may be missed.
caf::error check_own_sessions(const connection_options& options);

} // namespace depositd::postgres
