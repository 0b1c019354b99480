#pragma once

// A private Kafka for tests.

#include "tests/support/private_service.hpp"

#include <iostream>
#include <string>

namespace depositd {

class kafka_server : public private_service {
public:
  kafka_server() : private_service("kafka") {
    // nop
  }

  /// "HOST:PORT"; empty if it did not start.
  const std::string& address() const {
    return where();
  }
};

/// One for the whole program; started at first use.
inline kafka_server& shared_kafka() {
  static kafka_server server;
  return server;
}

/// False, and says so, if there is no Kafka to test with.
inline bool kafka_installed() {
  static const auto yes = private_service::installed("kafka");
  if (!yes)
    std::cout << "KAFKA CANNOT RUN HERE: ITS TESTS ARE SKIPPED\n";
  return yes;
}

} // namespace depositd
