#pragma once

// libpq writes what a server says as a notice to the standard error until it is
// told otherwise. A server, or whoever stands in its place, can say as much as
// it likes before it has let anybody in.

#include <libpq-fe.h>

namespace depositd::postgres {

/// Begins a login whose notices go nowhere; errors carry their text. Null
/// pointers end both lists. Whoever began it waits for it and ends it.
inline PGconn* begin_quietly(const char* const* names,
                             const char* const* values) {
  auto* const out = PQconnectStartParams(names, values, 1);
  PQsetNoticeProcessor(
    out, [](void*, const char*) {}, nullptr);
  return out;
}

} // namespace depositd::postgres
