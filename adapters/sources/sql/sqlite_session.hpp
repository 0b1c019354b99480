#pragma once

// Questions to a file of SQLite.

#include "adapters/sources/sql/session.hpp"

#include <memory>
#include <string>

namespace depositd::sources::sql {

/// The file is opened for reading only, and never made. One that is put in its
/// place is opened before the next question.
caf::expected<std::unique_ptr<session>>
make_sqlite_session(const std::string& path);

} // namespace depositd::sources::sql
