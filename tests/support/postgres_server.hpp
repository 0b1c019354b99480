#pragma once

// A private PostgreSQL for tests.

#include "tests/support/private_service.hpp"

#include <atomic>
#include <iostream>
#include <string>

namespace depositd {

class postgres_server : public private_service {
public:
  postgres_server() : private_service("postgres") {
    // nop
  }

  /// Empty if it did not start.
  const std::string& url() const {
    return where();
  }
};

/// One for the whole program; started at first use.
inline postgres_server& shared_postgres() {
  static postgres_server server;
  return server;
}

/// False, and says so, if there is no PostgreSQL to test with.
inline bool postgres_installed() {
  static const auto yes = private_service::installed("postgres");
  if (!yes)
    std::cout << "POSTGRESQL IS NOT INSTALLED: ITS TESTS ARE SKIPPED\n";
  return yes;
}

} // namespace depositd
