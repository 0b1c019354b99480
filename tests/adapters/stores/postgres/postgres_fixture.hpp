#pragma once

// A schema of its own, stores in it, and a line that can be cut.

#include "adapters/stores/postgres/postgres_journal_store.hpp"
#include "adapters/stores/postgres/postgres_projection_store.hpp"
#include "tests/support/cutting_proxy.hpp"
#include "tests/support/postgres_schema.hpp"

#include <memory>
#include <string>

namespace depositd {

class postgres_fixture : public ::testing::Test {
protected:
  void SetUp() override {
    if (!postgres_installed())
      GTEST_SKIP() << "POSTGRESQL IS NOT INSTALLED";
    schema = std::make_unique<postgres_schema>();
  }

  static std::uint16_t port_of(const std::string& url) {
    const auto host = url.find("127.0.0.1:");
    return static_cast<std::uint16_t>(std::stoi(url.substr(host + 10)));
  }

  /// The URL of the schema through a proxy.
  std::string through(const cutting_proxy& line) const {
    auto out = schema->url();
    const auto port = std::to_string(port_of(out));
    return out.replace(out.find(port), port.size(),
                       std::to_string(line.port()));
  }

  static std::unique_ptr<journal_store>
  open_journal(const postgres_journal_options& options) {
    auto out = open_postgres_journal(options);
    EXPECT_TRUE(out) << render(out.error());
    return out ? std::move(*out) : nullptr;
  }

  std::unique_ptr<journal_store> open_journal() const {
    return open_journal({.server = {.url = schema->url()}});
  }

  /// As a server does that goes.
  void end_sessions(const std::string& name) const {
    schema->run("SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                "WHERE application_name = '"
                + name + "'");
  }

  /// As after a dump of it was brought in again.
  void bring_in_again() const {
    schema->run("ALTER TABLE shard_owners RENAME TO dumped; "
                "CREATE TABLE shard_owners (LIKE dumped INCLUDING ALL); "
                "INSERT INTO shard_owners TABLE dumped; "
                "DROP TABLE dumped CASCADE");
  }

  static std::string read_all(journal_store& from) {
    std::string out;
    const auto failed = from.read(1, [&](const stored_group& x) {
      out += x.bytes;
      return true;
    });
    EXPECT_FALSE(failed) << render(failed);
    return out;
  }

  std::unique_ptr<postgres_schema> schema;
};

} // namespace depositd
