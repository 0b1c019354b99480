#pragma once

// Values as drivers of ODBC give them.

#include "adapters/sources/sql/session.hpp"

#include <string>
#include <string_view>

#include <sql.h>
#include <sqlext.h>

namespace depositd::sources::sql {

/// A column as its driver describes it.
struct odbc_column {
  std::string name;
  SQLSMALLINT type = SQL_UNKNOWN_TYPE;
  SQLULEN size = 0;
  SQLSMALLINT digits = 0;

  friend bool operator==(const odbc_column&, const odbc_column&) = default;
};

/// Whether a call has done what it should.
inline bool odbc_done(SQLRETURN x) noexcept {
  return x == SQL_SUCCESS || x == SQL_SUCCESS_WITH_INFO;
}

cell_kind odbc_kind(SQLSMALLINT type) noexcept;

/// How a value of that type is asked for. What is wide is asked for as UTF-16:
/// as plain text it would be in the encoding of the process's locale.
SQLSMALLINT transfer_type(SQLSMALLINT type) noexcept;

/// UTF-8 of UTF-16 in the machine's order. Half of a pair becomes a byte that
/// is no UTF-8.
std::string narrowed(std::string_view bytes);

} // namespace depositd::sources::sql
