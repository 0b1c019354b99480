#include "adapters/sources/sql/odbc_link.hpp"

#include "adapters/sources/sql/integer_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

namespace depositd::sources::sql {

namespace {

constexpr std::size_t piece_bytes = 64 * 1024;

SQLCHAR* text_of(const std::string& x) {
  return reinterpret_cast<SQLCHAR*>(const_cast<char*>(x.c_str()));
}

/// A number in place of a pointer, as attributes have it.
SQLPOINTER attribute(SQLULEN x) {
  return reinterpret_cast<SQLPOINTER>(x);
}

/// Drivers count whole seconds.
SQLULEN seconds_of(std::chrono::milliseconds x) {
  return static_cast<SQLULEN>(std::max<std::int64_t>(
    std::chrono::ceil<std::chrono::seconds>(x).count(), 1));
}

ec code_of(std::string_view state) {
  if (state == "42S02" || state == "IM002")
    return ec::not_found;
  const bool query = state.starts_with("42") || state == "37000"
                     || state == "07002" || state == "S0022";
  return query ? ec::invalid_argument : ec::store_failed;
}

} // namespace

// -- one statement ------------------------------------------------------------

class odbc_link::statement {
public:
  explicit statement(odbc_link& of) : of_(of) {
    if (!odbc_done(SQLAllocHandle(SQL_HANDLE_STMT, of_.handle_, &handle_)))
      handle_ = SQL_NULL_HSTMT;
    const std::lock_guard guard{of_.mutex_};
    of_.running_ = handle_;
  }

  statement(const statement&) = delete;
  statement& operator=(const statement&) = delete;

  ~statement() {
    {
      const std::lock_guard guard{of_.mutex_};
      of_.running_ = SQL_NULL_HSTMT;
    }
    if (handle_ != SQL_NULL_HSTMT)
      SQLFreeHandle(SQL_HANDLE_STMT, handle_);
  }

  /// Afterwards `columns` are known, if the driver knows them so soon.
  caf::error prepare(const question& x, std::chrono::milliseconds time) {
    if (handle_ == SQL_NULL_HSTMT)
      return of_.failure(SQL_HANDLE_DBC, of_.handle_);
    // A driver that cannot do it says so, and is cancelled later.
    SQLSetStmtAttr(handle_, SQL_ATTR_QUERY_TIMEOUT, attribute(seconds_of(time)),
                   SQL_IS_UINTEGER);
    if (!odbc_done(SQLPrepare(handle_, text_of(x.query.text),
                              static_cast<SQLINTEGER>(x.query.text.size()))))
      return failure();
    // Some drivers only know it when the statement has run. Others know: what
    // changes data must not run at all.
    SQLSMALLINT count = 0;
    const bool known = odbc_done(SQLNumResultCols(handle_, &count));
    if (known && count == 0)
      return no_rows_given();
    if (known)
      columns_ = describe(count);
    return {};
  }

  const std::vector<odbc_column>& columns() const noexcept {
    return columns_;
  }

  caf::expected<answer> run(const question& x) {
    if (auto failed = bind(x, columns_))
      return failed;
    if (auto over = of_.stopped())
      return over;
    if (!odbc_done(SQLExecute(handle_)))
      return failure();
    return fetch(x);
  }

private:
  caf::error failure() {
    if (auto over = of_.stopped())
      return over;
    return of_.failure(SQL_HANDLE_STMT, handle_);
  }

  std::vector<odbc_column> describe(SQLSMALLINT count) {
    std::vector<odbc_column> out;
    for (SQLSMALLINT i = 1; i <= count; ++i) {
      odbc_column x;
      std::array<SQLCHAR, 1024> name{};
      SQLSMALLINT length = 0;
      SQLSMALLINT nullable = 0;
      if (odbc_done(
            SQLDescribeCol(handle_, static_cast<SQLUSMALLINT>(i), name.data(),
                           static_cast<SQLSMALLINT>(name.size()), &length,
                           &x.type, &x.size, &x.digits, &nullable)))
        x.name = reinterpret_cast<const char*>(name.data());
      out.push_back(std::move(x));
    }
    return out;
  }

  struct parameter {
    SQLBIGINT integer = 0;
    SQLDOUBLE real = 0;
    SQLLEN length = 0;
  };

  caf::error outcome(SQLRETURN x) {
    return odbc_done(x) ? caf::error{} : failure();
  }

  caf::error bind_integer(SQLUSMALLINT at, parameter& to) {
    to.length = sizeof(to.integer);
    return outcome(SQLBindParameter(handle_, at, SQL_PARAM_INPUT, SQL_C_SBIGINT,
                                    SQL_BIGINT, 19, 0, &to.integer,
                                    sizeof(to.integer), &to.length));
  }

  caf::error bind_real(SQLUSMALLINT at, parameter& to) {
    to.length = sizeof(to.real);
    return outcome(SQLBindParameter(handle_, at, SQL_PARAM_INPUT, SQL_C_DOUBLE,
                                    SQL_DOUBLE, 15, 0, &to.real,
                                    sizeof(to.real), &to.length));
  }

  caf::error bind_text(SQLUSMALLINT at, const std::string& text,
                       const odbc_column& as, parameter& to) {
    to.length = static_cast<SQLLEN>(text.size());
    const auto size = std::max<SQLULEN>({text.size(), as.size, 1});
    return outcome(SQLBindParameter(handle_, at, SQL_PARAM_INPUT, SQL_C_CHAR,
                                    as.type, size, as.digits, text_of(text),
                                    to.length, &to.length));
  }

  /// A database that does not convert what it compares wants a cursor as what
  /// its column is. What the values were when they were seen last counts more
  /// than what the column is called: some drivers call every expression a text
  /// before it has run. Where nothing is known, what looks like an integer is
  /// one.
  caf::error bind_cursor(SQLUSMALLINT at, const question& x,
                         const std::vector<odbc_column>& columns,
                         parameter& to) {
    const auto found =
      std::find_if(columns.begin(), columns.end(), [&](const auto& column) {
        return column.name == x.cursor_column;
      });
    const auto described =
      found == columns.end() ? cell_kind::integer : odbc_kind(found->type);
    const auto kind = x.cursor_kind.value_or(described);
    if (const auto integer = read_integer(x.cursor);
        integer && kind == cell_kind::integer) {
      to.integer = *integer;
      return bind_integer(at, to);
    }
    const auto* end = x.cursor.data() + x.cursor.size();
    const auto real = std::from_chars(x.cursor.data(), end, to.real);
    if (kind == cell_kind::number && described != cell_kind::number
        && real.ec == std::errc{} && real.ptr == end)
      return bind_real(at, to);
    odbc_column as;
    as.type = SQL_VARCHAR;
    if (described != cell_kind::integer && found->type != SQL_LONGVARCHAR
        && found->type != SQL_WLONGVARCHAR && found->type != SQL_UNKNOWN_TYPE)
      as = *found;
    return bind_text(at, x.cursor, as, to);
  }

  caf::error bind(const question& x, const std::vector<odbc_column>& columns) {
    parameters_.resize(x.query.bound.size());
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      const auto at = static_cast<SQLUSMALLINT>(i + 1);
      parameters_[i].integer = static_cast<SQLBIGINT>(x.limit);
      if (auto failed = x.query.bound[i] == placeholder::limit
                          ? bind_integer(at, parameters_[i])
                          : bind_cursor(at, x, columns, parameters_[i]))
        return failed;
    }
    return {};
  }

  /// A value piece by piece; nothing if it is null.
  caf::expected<std::optional<std::string>> value(std::size_t column,
                                                  SQLSMALLINT type) {
    const auto as = transfer_type(type);
    const SQLLEN end = as == SQL_C_CHAR ? 1 : as == SQL_C_WCHAR ? 2 : 0;
    const auto room = static_cast<SQLLEN>(piece_bytes) - end;
    auto& piece = of_.piece_;
    piece.resize(piece_bytes);
    std::string out;
    for (;;) {
      SQLLEN length = 0;
      const auto got =
        SQLGetData(handle_, static_cast<SQLUSMALLINT>(column + 1), as,
                   piece.data(), static_cast<SQLLEN>(piece.size()), &length);
      if (got == SQL_NO_DATA)
        break;
      if (!odbc_done(got))
        return failure();
      if (length == SQL_NULL_DATA)
        return std::optional<std::string>{};
      const bool cut = length == SQL_NO_TOTAL || length > room;
      out.append(piece.data(), static_cast<std::size_t>(cut ? room : length));
      if (out.size() > answer_bytes_max)
        return caf::make_error(ec::too_large,
                               "odbc: a value has more than "
                                 + std::to_string(answer_bytes_max) + " bytes");
      if (!cut)
        break;
    }
    return std::optional<std::string>{as == SQL_C_WCHAR ? narrowed(out)
                                                        : std::move(out)};
  }

  caf::error add_row(const std::vector<odbc_column>& columns,
                     answer_filler& to) {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      auto text = value(i, columns[i].type);
      if (!text)
        return std::move(text.error());
      const auto kind = odbc_kind(columns[i].type);
      if (!*text)
        to.add(cell_kind::null);
      else if (kind == cell_kind::boolean && (**text == "0" || **text == "1"))
        to.add(kind, **text == "0" ? "false" : "true");
      else if (kind == cell_kind::boolean)
        to.add(cell_kind::text, std::move(**text)); // SQLite takes anything
      else
        to.add(kind, std::move(**text));
    }
    return {};
  }

  caf::expected<answer> fetch(const question& x) {
    SQLSMALLINT count = 0;
    if (!odbc_done(SQLNumResultCols(handle_, &count)))
      return failure();
    if (count == 0)
      return no_rows_given();
    // Not as before it ran: types of expressions may only show now.
    const auto columns = describe(count);
    std::vector<std::string> names;
    for (const auto& column : columns)
      names.push_back(column.name);
    answer_filler out{x.rows_max};
    out.set_columns(std::move(names));
    for (;;) {
      if (auto over = of_.stopped())
        return over;
      const auto got = SQLFetch(handle_);
      if (got == SQL_NO_DATA)
        return out.take();
      if (!odbc_done(got))
        return failure();
      if (!out.begin_row())
        return out.take();
      if (auto failed = add_row(columns, out))
        return failed;
      if (!out.end_row())
        return out.take();
    }
  }

  odbc_link& of_;
  SQLHSTMT handle_ = SQL_NULL_HSTMT;
  std::vector<odbc_column> columns_;  ///< before it has run
  std::vector<parameter> parameters_; ///< stay where they are while it runs
};

// -- the connection -----------------------------------------------------------

odbc_link::odbc_link(std::string connection)
  : connection_(std::move(connection)), scrub_(connection_) {
  // nop
}

odbc_link::~odbc_link() {
  if (connected_)
    SQLDisconnect(handle_);
  if (handle_ != SQL_NULL_HDBC)
    SQLFreeHandle(SQL_HANDLE_DBC, handle_);
  if (environment_ != SQL_NULL_HENV)
    SQLFreeHandle(SQL_HANDLE_ENV, environment_);
}

caf::error odbc_link::stopped() const {
  if (stopped_)
    return caf::make_error(ec::store_failed, "cancelled");
  return {};
}

caf::error odbc_link::failure(SQLSMALLINT type, SQLHANDLE of) {
  std::array<SQLCHAR, SQL_SQLSTATE_SIZE + 1> state{};
  std::array<SQLCHAR, 1024> text{};
  SQLINTEGER native = 0;
  SQLSMALLINT length = 0;
  if (!odbc_done(SQLGetDiagRec(type, of, 1, state.data(), &native, text.data(),
                               static_cast<SQLSMALLINT>(text.size()), &length)))
    return caf::make_error(ec::store_failed, "odbc: failed without a reason");
  const std::string code = reinterpret_cast<const char*>(state.data());
  if (code.starts_with("08"))
    lost_ = true;
  return caf::make_error(
    code_of(code), "odbc: " + scrub_(reinterpret_cast<const char*>(text.data()))
                     + " (" + code + ")");
}

caf::error odbc_link::connect(std::chrono::milliseconds time) {
  if (connected_)
    return {};
  if (!odbc_done(SQLAllocHandle(SQL_HANDLE_ENV, SQL_NULL_HANDLE, &environment_))
      || !odbc_done(SQLSetEnvAttr(environment_, SQL_ATTR_ODBC_VERSION,
                                  attribute(SQL_OV_ODBC3), 0))
      || !odbc_done(SQLAllocHandle(SQL_HANDLE_DBC, environment_, &handle_)))
    return caf::make_error(ec::store_failed, "odbc: no memory");
  SQLSetConnectAttr(handle_, SQL_ATTR_LOGIN_TIMEOUT,
                    attribute(seconds_of(time)), SQL_IS_UINTEGER);
  SQLSetConnectAttr(handle_, SQL_ATTR_ACCESS_MODE,
                    attribute(SQL_MODE_READ_ONLY), SQL_IS_UINTEGER);
  if (!odbc_done(SQLDriverConnect(handle_, nullptr, text_of(connection_),
                                  static_cast<SQLSMALLINT>(connection_.size()),
                                  nullptr, 0, nullptr, SQL_DRIVER_NOPROMPT)))
    return failure(SQL_HANDLE_DBC, handle_);
  connected_ = true;
  return {};
}

caf::expected<answer> odbc_link::ask_once(const question& x,
                                          std::chrono::milliseconds time,
                                          std::vector<odbc_column>& columns) {
  statement now{*this};
  if (auto failed = now.prepare(x, time))
    return failed;
  columns = now.columns();
  return now.run(x);
}

caf::expected<answer> odbc_link::ask(const question& x,
                                     std::chrono::milliseconds time) {
  if (auto failed = connect(time)) {
    lost_ = true;
    return failed;
  }
  if (auto over = stopped())
    return over;
  auto columns = std::vector<odbc_column>{};
  auto out = ask_once(x, time, columns);
  // A driver may describe a table as it was when the connection last looked,
  // though it reads one that was made anew meanwhile, and only that tells it.
  if (!std::exchange(asked_, true) || !out || columns.empty())
    return out;
  statement later{*this};
  if (later.prepare(x, time) || later.columns() == columns)
    return out;
  return later.run(x);
}

void odbc_link::cancel() noexcept {
  stopped_ = true;
  const std::lock_guard guard{mutex_};
  if (running_ != SQL_NULL_HSTMT)
    SQLCancel(running_);
}

} // namespace depositd::sources::sql
