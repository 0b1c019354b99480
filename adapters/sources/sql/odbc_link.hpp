#pragma once

// One connection by ODBC. Its source is the only one that speaks it.

#include "adapters/sources/sql/odbc_values.hpp"
#include "adapters/sources/sql/scrubber.hpp"
#include "adapters/sources/sql/session.hpp"

#include <atomic>
#include <chrono>
#include <mutex>
#include <string>
#include <vector>

#include <sql.h>
#include <sqlext.h>

namespace depositd::sources::sql {

/// Used by one thread at a time; only `cancel` may be called from another one
/// meanwhile.
class odbc_link {
public:
  explicit odbc_link(std::string connection);
  odbc_link(const odbc_link&) = delete;
  odbc_link& operator=(const odbc_link&) = delete;
  ~odbc_link();

  /// Connects at the first call. May block for longer than the time that it
  /// gives the driver. Errors as of a session.
  caf::expected<answer> ask(const question& x, std::chrono::milliseconds time);

  /// Ends `ask`, as far as the driver lets itself be interrupted, and all later
  /// ones.
  void cancel() noexcept;

  /// The connection is gone.
  bool lost() const noexcept {
    return lost_;
  }

private:
  class statement;

  caf::error connect(std::chrono::milliseconds time);
  caf::expected<answer> ask_once(const question& x,
                                 std::chrono::milliseconds time,
                                 std::vector<odbc_column>& columns);
  caf::error failure(SQLSMALLINT type, SQLHANDLE of);
  caf::error stopped() const;

  const std::string connection_;
  const scrubber scrub_;
  SQLHENV environment_ = SQL_NULL_HENV;
  SQLHDBC handle_ = SQL_NULL_HDBC;
  bool connected_ = false;
  bool asked_ = false;
  std::atomic<bool> lost_ = false;
  std::atomic<bool> stopped_ = false;
  std::mutex mutex_; ///< of `running_`
  SQLHSTMT running_ = SQL_NULL_HSTMT;
  std::vector<char> piece_; ///< of a value that is read
};

} // namespace depositd::sources::sql
