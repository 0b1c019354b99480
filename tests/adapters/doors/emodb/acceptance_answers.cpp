#include "tests/adapters/doors/emodb/acceptance_answers.hpp"

namespace depositd::testing {

namespace {

using result = ::testing::AssertionResult;

constexpr char illegal[] = "java.lang.IllegalArgumentException";
constexpr char unauthorized[] =
  "com.bazaarvoice.emodb.common.api.UnauthorizedException";
constexpr char unavailable[] =
  "com.bazaarvoice.emodb.common.api.ServiceUnavailableException";
constexpr char no_such_move[] =
  "com.bazaarvoice.emodb.queue.api.UnknownMoveException";

result when(bool right, const http_answer& x, const char* wanted) {
  if (right)
    return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "not " << wanted << ": " << x;
}

bool is(const http_answer& x, unsigned status, const std::string& type,
        const std::string& exception) {
  return x.status == status && x.header("content-type") == type
         && x.header("x-bv-exception") == exception;
}

bool has_text(const json& x, const char* member) {
  return x.is_object() && x.contains(member) && x[member].is_string()
         && !x[member].get<std::string>().empty();
}

} // namespace

result says(const http_answer& x, const std::string& body) {
  return when(is(x, 200, "application/json", "") && x.body == body, x,
              body.c_str());
}

result is_ok(const http_answer& x) {
  return says(x, R"({"success":true})");
}

result is_json(const http_answer& x) {
  return when(is(x, 200, "application/json", "")
                && !x.document().is_discarded(),
              x, "200 with JSON");
}

result is_illegal(const http_answer& x, const std::string& text) {
  return when(is(x, 400, "text/plain", illegal)
                && x.body.rfind(text, 0) == 0 && !x.body.empty(),
              x, ("IllegalArgumentException " + text).c_str());
}

result is_illegal_exactly(const http_answer& x, const std::string& text) {
  return when(is(x, 400, "text/plain", illegal) && x.body == text, x,
              ("IllegalArgumentException " + text).c_str());
}

result is_unreadable(const http_answer& x, const std::string& text) {
  return when(is(x, 400, "text/plain", "") && x.body == text, x,
              ("400 " + text).c_str());
}

result is_bad_json(const http_answer& x) {
  return when(is(x, 400, "application/json", "")
                && has_text(x.document(), "message"),
              x, "400 with a message");
}

result is_empty_body(const http_answer& x) {
  return when(is(x, 422, "application/json", "")
                && x.body == R"({"errors":[]})",
              x, "422");
}

result is_forbidden(const http_answer& x) {
  return when(is(x, 403, "application/json", unauthorized)
                && x.body == R"({"reason":"not authorized"})",
              x, "UnauthorizedException");
}

result is_forbidden_for(const http_answer& x, const std::string& queue) {
  return when(is(x, 403, "application/json", "")
                && x.body == R"({"queue":")" + queue + "\"}",
              x, ("403 for " + queue).c_str());
}

result is_unknown_move(const http_answer& x, const std::string& reference) {
  const auto found = x.document();
  return when(is(x, 404, "application/json", no_such_move) && found.is_object()
                && found.value("id", "") == reference
                && found.value("message", "") == "Unknown move: " + reference
                && found.contains("suppressed"),
              x, "UnknownMoveException");
}

result is_unavailable(const http_answer& x) {
  const auto found = x.document();
  const auto after = x.header("retry-after");
  return when(is(x, 503, "application/json", unavailable)
                && has_text(found, "message")
                && found.contains("retryAfterSeconds")
                && found["retryAfterSeconds"].is_number_integer()
                && after.size() == 1 && after >= "1" && after <= "5",
              x, "ServiceUnavailableException");
}

result is_wrong_method(const http_answer& x, const std::string& allowed) {
  return when(x.status == 405
                && x.header("allow").find(allowed) != std::string::npos,
              x, ("405 that allows " + allowed).c_str());
}

result has_status(const http_answer& x, unsigned status) {
  return when(x.status == status, x, std::to_string(status).c_str());
}

} // namespace depositd::testing
