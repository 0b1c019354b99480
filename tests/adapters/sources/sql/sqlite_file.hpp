#pragma once

// A file of SQLite that a test fills.

#include "tests/support/temporary_folder.hpp"

#include <string>
#include <thread>

#include <gtest/gtest.h>
#include <sqlite3.h>

namespace depositd::sources {

class sqlite_file {
public:
  explicit sqlite_file(const std::string& sql = "PRAGMA user_version = 1") {
    run(sql);
  }

  void run(const std::string& sql) const {
    EXPECT_EQ(execute(sql), SQLITE_OK) << sql;
  }

  /// Returns once somebody reads the file.
  void await_reading() const {
    while (execute("BEGIN EXCLUSIVE; ROLLBACK") != SQLITE_BUSY)
      std::this_thread::yield();
  }

  std::string path() const {
    return (folder_.path() / "records.db").string();
  }

  std::string url() const {
    return "sqlite:" + path();
  }

  /// The same file by ODBC.
  std::string odbc_url() const {
    return "odbc:Driver=SQLite3;NoCreat=1;Database=" + path();
  }

private:
  int execute(const std::string& sql) const {
    sqlite3* handle = nullptr;
    auto code = sqlite3_open(path().c_str(), &handle);
    if (code == SQLITE_OK)
      code = sqlite3_exec(handle, sql.c_str(), nullptr, nullptr, nullptr);
    sqlite3_close(handle);
    return code;
  }

  temporary_folder folder_;
};

/// A query that never ends, with these columns behind its count.
inline std::string endless(const std::string& columns) {
  return "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) "
         "SELECT count(*) AS "
         + columns + " FROM c";
}

} // namespace depositd::sources
