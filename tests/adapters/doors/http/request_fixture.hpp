#pragma once

// A server that is sent requests byte for byte.

#include "tests/adapters/doors/http/server_fixture.hpp"

#include <string>
#include <string_view>

namespace depositd::testing {

class request_fixture : public server_fixture {
protected:
  /// 0: no answer.
  unsigned status_of(std::string_view bytes) {
    auto client = connect();
    const auto x = client.exchange(bytes);
    return x ? x->status : 0;
  }

  bool alive() {
    return status_of("GET /hello HTTP/1.1\r\nHost: a\r\n\r\n") == 200;
  }

  static std::string head(const std::string& more) {
    return "POST /echo HTTP/1.1\r\nHost: a\r\n" + more + "\r\n";
  }
};

class http_bad_input : public request_fixture {};

} // namespace depositd::testing
