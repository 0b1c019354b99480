#pragma once

// A private SQS server for tests.

#include "tests/support/private_service.hpp"

#include <cstdint>
#include <iostream>
#include <string>

namespace depositd {

class sqs_server : public private_service {
public:
  sqs_server() : private_service("sqs") {
    // nop
  }

  /// "http://127.0.0.1:PORT"; empty if it did not start.
  const std::string& url() const {
    return where();
  }

  std::uint16_t number() const {
    return static_cast<std::uint16_t>(
      std::stoul(url().substr(url().rfind(':') + 1)));
  }
};

/// One for the whole program; started at first use.
inline sqs_server& shared_sqs() {
  static sqs_server server;
  return server;
}

/// False, and says so, if there is no SQS server to test with.
inline bool sqs_installed() {
  static const auto yes = private_service::installed("sqs");
  if (!yes)
    std::cout << "SQS CANNOT RUN HERE: ITS TESTS ARE SKIPPED\n";
  return yes;
}

} // namespace depositd
