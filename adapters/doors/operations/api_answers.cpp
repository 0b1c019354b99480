#include "adapters/doors/operations/api_answers.hpp"

#include "messages/values/json_text.hpp"

#include <nlohmann/json.hpp>

#include <utility>

namespace depositd {

namespace {

constexpr unsigned busy_retry_s = 5;
constexpr unsigned throttled_retry_s = 60;

http::response guarded(http::response x) {
  return std::move(x)
    .with("X-Content-Type-Options", "nosniff")
    .with("Content-Security-Policy", "default-src 'none'")
    .with("Cache-Control", "no-store");
}

unsigned status_of(ec code) {
  switch (code) {
    case ec::invalid_argument:
    case ec::malformed:
    case ec::bad_setting:
      return 400;
    case ec::wrong_credentials:
      return 401;
    case ec::not_allowed:
      return 403;
    case ec::not_found:
      return 404;
    case ec::already_exists:
    case ec::pending_limit_reached:
    case ec::stale_claim:
      return 409;
    case ec::too_large:
      return 413;
    case ec::throttled:
    case ec::quota_reached:
      return 429;
    case ec::store_failed:
    case ec::store_damaged:
    case ec::fenced:
    case ec::draining:
    case ec::overloaded:
      return 503;
  }
  return 503;
}

bool is_own(const caf::error& why) {
  return why.category() == caf::atom("depositd");
}

const char* word_of(unsigned status) {
  switch (status) {
    case 401:
      return "wrong_credentials";
    case 403:
      return "not_allowed";
    case 404:
      return "not_found";
    case 405:
      return "method_not_allowed";
    case 413:
    case 414:
    case 431:
      return "too_large";
    case 503:
      return "overloaded";
    default:
      return status < 500 ? "malformed" : "failed";
  }
}

} // namespace

http::response api_document(unsigned status, std::string document) {
  return guarded(
    http::response::of(status, "application/json", std::move(document)));
}

http::response api_refusal(unsigned status, const std::string& word,
                           const std::string& text) {
  const nlohmann::ordered_json document{{"error", word}, {"text", text}};
  auto out = api_document(status, json_text(document));
  if (status == 401)
    out.headers.emplace_back("WWW-Authenticate", "Bearer");
  if (status == 429)
    out.headers.emplace_back("Retry-After", std::to_string(throttled_retry_s));
  if (status == 503)
    out.headers.emplace_back("Retry-After", std::to_string(busy_retry_s));
  return out;
}

std::string error_word(const caf::error& why) {
  return to_string(is_own(why) ? static_cast<ec>(why.code()) : ec::overloaded);
}

http::response api_refusal(const caf::error& why) {
  if (!is_own(why))
    return api_refusal(503, error_word(why),
                       "the engine did not answer in time");
  return api_refusal(status_of(static_cast<ec>(why.code())), error_word(why),
                     render(why));
}

http::response api_refusal_of_server(const http::request& from, unsigned status,
                                     const std::string& text) {
  if (!from.path.starts_with("/api/"))
    return http::refusal(status, text);
  return api_refusal(status, word_of(status), text);
}

http::response api_event_stream(std::shared_ptr<http::body_stream> body) {
  auto out = guarded(http::response::of(200, "text/event-stream", ""));
  out.stream = std::move(body);
  // A proxy that gathers would keep what is new.
  return std::move(out).with("X-Accel-Buffering", "no");
}

} // namespace depositd
