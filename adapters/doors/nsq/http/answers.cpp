#include "adapters/doors/nsq/http/answers.hpp"

#include "adapters/doors/kit/json_text.hpp"

#include <utility>

namespace depositd::nsq_http {

namespace {

constexpr const char* json_type = "application/json; charset=utf-8";
constexpr const char* text_type = "text/plain; charset=utf-8";

http::response marked(http::response x) {
  return std::move(x).with("X-NSQ-Content-Type", "nsq; version=1.0");
}

/// The word for a body that is too large depends on what it was for.
const char* too_large_for(const http::request& what) {
  if (what.path.starts_with("/mpub"))
    return "BODY_TOO_BIG";
  return what.path.starts_with("/config") ? "INVALID_VALUE" : "MSG_TOO_BIG";
}

} // namespace

http::response ok() {
  return text("OK");
}

http::response nothing() {
  return marked({});
}

http::response document(std::string json) {
  return marked(http::response::of(200, json_type, std::move(json)));
}

http::response text(std::string body) {
  return marked(http::response::of(200, text_type, std::move(body)));
}

http::response failed(unsigned status, std::string_view word) {
  std::string out = R"({"message":)";
  kit::append_json_string(out, word);
  return marked(http::response::of(status, json_type, out + '}'));
}

http::response unauthorized() {
  return failed(401, "UNAUTHORIZED")
    .with("WWW-Authenticate", "Basic realm=\"depositd\"");
}

http::response forbidden() {
  return failed(403, "FORBIDDEN");
}

http::response failure(const caf::error& why) {
  if (why == ec::draining)
    return failed(503, "EXITING");
  if (why == ec::overloaded || why == ec::pending_limit_reached
      || why == ec::quota_reached || why == ec::throttled)
    return failed(503, "OVERLOADED").with("Retry-After", "1");
  if (why == ec::too_large)
    return failed(413, "LIMIT_REACHED");
  if (why == ec::invalid_argument)
    return failed(400, "INVALID_REQUEST");
  return failed(500, "INTERNAL_ERROR");
}

http::response refused(const http::request& what, unsigned status,
                       const std::string& text) {
  switch (status) {
    case 404:
      return failed(status, "NOT_FOUND");
    case 405:
      return failed(status, "METHOD_NOT_ALLOWED");
    case 413:
      return failed(status, too_large_for(what));
    default:
      return failed(status, text);
  }
}

} // namespace depositd::nsq_http
