#pragma once

// A schema of its own for each test, on a server that all share.

#include "adapters/stores/postgres/connection.hpp"
#include "tests/support/postgres_server.hpp"

#include <gtest/gtest.h>

namespace depositd {

class postgres_schema {
public:
  explicit postgres_schema(const std::string& server_url
                           = shared_postgres().url())
    : server_url_(server_url) {
    static std::atomic<int> made = 0;
    name_ = "test_" + std::to_string(++made);
    run("CREATE SCHEMA " + name_);
  }

  postgres_schema(const postgres_schema&) = delete;
  postgres_schema& operator=(const postgres_schema&) = delete;

  ~postgres_schema() {
    run("DROP SCHEMA " + name_ + " CASCADE");
  }

  /// Leads into the schema and nowhere else.
  std::string url() const {
    return server_url_ + "?options=-csearch_path%3D" + name_;
  }

  /// Runs SQL there, behind the back of the stores.
  void run(const std::string& sql) const {
    auto to = connect();
    ASSERT_TRUE(to) << render(to.error());
    const auto failed = (*to)->script(sql);
    EXPECT_FALSE(failed) << render(failed);
  }

  /// One number out of the database.
  std::uint64_t number(const std::string& sql) const {
    auto to = connect();
    if (!to)
      return ~std::uint64_t{0};
    const auto rows = (*to)->run(sql);
    EXPECT_TRUE(rows) << render(rows.error());
    return rows && rows->rows() > 0 ? rows->number(0, 0) : ~std::uint64_t{0};
  }

  caf::expected<std::unique_ptr<postgres::connection>> connect() const {
    return postgres::connection::open({.url = url(), .name = "test"});
  }

private:
  std::string server_url_;
  std::string name_;
};

} // namespace depositd
