#pragma once

// Questions to PostgreSQL. Its source is the only one of the sources that
// speaks libpq.

#include "adapters/sources/sql/session.hpp"

#include <memory>
#include <string>

namespace depositd::sources::sql {

/// `url` as libpq takes it. Sessions are read-only; a question is given up by
/// the server itself after its time, too.
caf::expected<std::unique_ptr<session>>
make_postgres_session(const std::string& url, const std::string& name);

} // namespace depositd::sources::sql
