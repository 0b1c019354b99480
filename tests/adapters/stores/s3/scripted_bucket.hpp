#pragma once

// A client whose server says what a test wants.

#include "adapters/stores/s3/client.hpp"
#include "tests/support/scripted_server.hpp"

namespace depositd::s3 {

using testing::scripted_server;

inline std::string error_document(const std::string& code,
                                  const std::string& more = "") {
  return "<?xml version=\"1.0\"?><Error><Code>" + code
         + "</Code><Message>because</Message>" + more + "</Error>";
}

inline std::string answer_of(const std::string& status, const std::string& body,
                             const std::string& headers = "") {
  return scripted_server::response(
    status, headers + "Content-Length: " + std::to_string(body.size()) + "\r\n",
    body);
}

/// The first line without the version.
inline std::string line_of(const std::string& request) {
  return request.substr(0, request.find(" HTTP/"));
}

inline client_options options_for(const scripted_server& server) {
  client_options out;
  out.place.endpoint = server.url("");
  out.place.bucket = "bucket";
  out.place.path_style = true;
  out.place.access_key = "AKEXAMPLE";
  out.place.secret_key = "top-secret";
  out.retry_delay = std::chrono::milliseconds{1};
  out.retry_delay_max = std::chrono::milliseconds{5};
  return out;
}

} // namespace depositd::s3
