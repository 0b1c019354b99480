#pragma once

// An HTTP client as a decent program has it: one connection, kept alive, sent
// to paths exactly as they are written.

#include <nlohmann/json.hpp>

#include <cstdint>
#include <map>
#include <ostream>
#include <string>
#include <vector>

namespace depositd::testing {

using json = nlohmann::ordered_json;

struct http_answer {
  unsigned status = 0; ///< 0: none came
  std::map<std::string, std::string> headers; ///< names in lower case
  std::string body;
  std::string failure; ///< why none came

  /// Empty if it is not there.
  std::string header(const std::string& name) const;

  /// A discarded value if the body is not JSON.
  json document() const;
};

/// For failure messages.
std::ostream& operator<<(std::ostream& out, const http_answer& x);

struct http_call {
  std::string method = "GET";
  std::string target;
  std::vector<std::string> headers; ///< "Name: value"; "Name:" sends none
  std::string body;
};

class http_client {
public:
  explicit http_client(std::uint16_t port, long limit_ms = 20'000);

  http_client(const http_client&) = delete;
  http_client& operator=(const http_client&) = delete;

  ~http_client();

  http_answer send(const http_call& x);

private:
  void* handle_;
  std::uint16_t port_;
  long limit_ms_;
};

/// Every byte that is not a letter or digit as %XX.
std::string percent_encoded(const std::string& text);

} // namespace depositd::testing
