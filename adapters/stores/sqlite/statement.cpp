#include "adapters/stores/sqlite/statement.hpp"

#include <utility>

namespace depositd::sqlite {

caf::error failure(const std::string& file, int code, const char* text) {
  const auto primary = code & 0xff;
  // A row that must not be there is damage too: the tables are not what the
  // journal says they were.
  const auto damaged = primary == SQLITE_CORRUPT || primary == SQLITE_NOTADB
                       || primary == SQLITE_FORMAT
                       || primary == SQLITE_CONSTRAINT;
  return caf::make_error(damaged ? ec::store_damaged : ec::store_failed,
                         file + ": " + (text == nullptr ? "" : text)
                           + " (SQLite code " + std::to_string(code) + ")");
}

statement::statement(const std::string& file, sqlite3_stmt* handle)
  : file_(file), handle_(handle) {
  // nop
}

statement::statement(statement&& other) noexcept
  : file_(other.file_), handle_(std::exchange(other.handle_, nullptr)),
    failure_(other.failure_) {
  // nop
}

statement::~statement() {
  if (handle_ == nullptr)
    return;
  sqlite3_reset(handle_);
  sqlite3_clear_bindings(handle_);
}

caf::expected<bool> statement::next() {
  const auto code = failure_ == SQLITE_OK ? sqlite3_step(handle_) : failure_;
  if (code == SQLITE_ROW)
    return true;
  if (code == SQLITE_DONE)
    return false;
  return failure(file_, code, sqlite3_errmsg(sqlite3_db_handle(handle_)));
}

caf::error statement::run() {
  for (;;) {
    const auto row = next();
    if (!row)
      return row.error();
    if (!*row) {
      sqlite3_reset(handle_);
      return {};
    }
  }
}

std::string_view statement::text(int column) const noexcept {
  // A value bound as text comes back byte for byte as a blob too.
  const auto* bytes =
    static_cast<const char*>(sqlite3_column_blob(handle_, column));
  const auto count = sqlite3_column_bytes(handle_, column);
  if (bytes == nullptr)
    return {};
  return {bytes, static_cast<std::size_t>(count)};
}

void statement::put(int index, std::string_view value) noexcept {
  // A null pointer would be bound as NULL.
  const auto* bytes = value.data() == nullptr ? "" : value.data();
  note(sqlite3_bind_text64(handle_, index, bytes, value.size(), SQLITE_STATIC,
                           SQLITE_UTF8));
}

} // namespace depositd::sqlite
