#include "adapters/sources/sql/odbc_values.hpp"

#include "messages/values/utf8.hpp"

#include <cstddef>
#include <cstring>

namespace depositd::sources::sql {

cell_kind odbc_kind(SQLSMALLINT type) noexcept {
  switch (type) {
    case SQL_BIT:
      return cell_kind::boolean;
    case SQL_TINYINT:
    case SQL_SMALLINT:
    case SQL_INTEGER:
    case SQL_BIGINT:
      return cell_kind::integer;
    case SQL_DECIMAL:
    case SQL_NUMERIC:
    case SQL_FLOAT:
    case SQL_REAL:
    case SQL_DOUBLE:
      return cell_kind::number;
    case SQL_BINARY:
    case SQL_VARBINARY:
    case SQL_LONGVARBINARY:
      return cell_kind::bytes;
    default:
      return cell_kind::text;
  }
}

SQLSMALLINT transfer_type(SQLSMALLINT type) noexcept {
  if (type == SQL_WCHAR || type == SQL_WVARCHAR || type == SQL_WLONGVARCHAR)
    return SQL_C_WCHAR;
  return odbc_kind(type) == cell_kind::bytes ? SQL_C_BINARY : SQL_C_CHAR;
}

std::string narrowed(std::string_view bytes) {
  std::string out;
  const auto unit = [&](std::size_t at) {
    char16_t x = 0;
    std::memcpy(&x, bytes.data() + at, sizeof(x));
    return static_cast<char32_t>(x);
  };
  for (std::size_t at = 0; at + 2 <= bytes.size(); at += 2) {
    auto code = unit(at);
    if (code >= 0xd800 && code < 0xdc00 && at + 4 <= bytes.size()
        && unit(at + 2) >= 0xdc00 && unit(at + 2) < 0xe000) {
      code = 0x10000 + ((code - 0xd800) << 10) + (unit(at + 2) - 0xdc00);
      at += 2;
    }
    if (code >= 0xd800 && code < 0xe000)
      out += '\xff';
    else
      append_utf8(out, code);
  }
  return out;
}

} // namespace depositd::sources::sql
