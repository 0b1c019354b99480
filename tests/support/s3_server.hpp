#pragma once

// A private S3 server for tests.

#include "adapters/stores/s3/client.hpp"
#include "tests/support/private_service.hpp"

#include <atomic>
#include <cstdint>
#include <iostream>
#include <string>

namespace depositd {

/// Where tests are in its one bucket; the keys are those of scripts/service_s3.
inline s3::client_options s3_options_of(const std::string& endpoint,
                                        const std::string& prefix) {
  s3::client_options out;
  out.place.endpoint = endpoint;
  out.place.bucket = "depositd";
  out.place.prefix = prefix;
  out.place.path_style = true;
  out.place.access_key = "depositd-test";
  out.place.secret_key = "only/for+tests";
  out.retry_delay = std::chrono::milliseconds{5};
  out.retry_delay_max = std::chrono::milliseconds{50};
  return out;
}

class s3_server : public private_service {
public:
  s3_server() : private_service("s3") {
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

  /// A prefix that nobody else has.
  s3::client_options options() {
    return s3_options_of(url(), "test/" + std::to_string(++count_));
  }

private:
  std::atomic<int> count_ = 0;
};

/// One for the whole program; started at first use.
inline s3_server& shared_s3() {
  static s3_server server;
  return server;
}

/// False, and says so, if there is no S3 server to test with.
inline bool s3_installed() {
  static const auto yes = private_service::installed("s3");
  if (!yes)
    std::cout << "S3 CANNOT RUN HERE: ITS TESTS ARE SKIPPED\n";
  return yes;
}

} // namespace depositd
