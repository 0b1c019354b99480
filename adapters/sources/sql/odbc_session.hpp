#pragma once

// Questions to any database that has a driver for ODBC.

#include "adapters/sources/sql/session.hpp"

#include <memory>
#include <string>

namespace depositd::sources::sql {

/// `connection` as SQLDriverConnect takes it. Every question is asked in a
/// thread of its own: if the driver neither keeps its time limit nor can be
/// interrupted, the thread is left to itself, with the connection. While four
/// of these still run nothing more is asked.
caf::expected<std::unique_ptr<session>>
make_odbc_session(const std::string& connection);

} // namespace depositd::sources::sql
