#include "adapters/doors/emodb/answers.hpp"

#include "adapters/doors/kit/json_text.hpp"
#include "messages/values/json_text.hpp"

#include <caf/sec.hpp>
#include <nlohmann/json.hpp>

#include <utility>

namespace depositd::emodb {

namespace {

using json = nlohmann::ordered_json;

constexpr const char* json_type = "application/json";
constexpr const char* exception_header = "X-BV-Exception";
constexpr const char* illegal_argument_class =
  "java.lang.IllegalArgumentException";
constexpr const char* unauthorized_class =
  "com.bazaarvoice.emodb.common.api.UnauthorizedException";
constexpr const char* unavailable_class =
  "com.bazaarvoice.emodb.common.api.ServiceUnavailableException";
constexpr const char* unknown_move_class =
  "com.bazaarvoice.emodb.queue.api.UnknownMoveException";

/// {"name":"text"
std::string object_with(std::string_view name, std::string_view text) {
  std::string out = "{";
  kit::append_json_string(out, name);
  out += ':';
  kit::append_json_string(out, text);
  return out;
}

http::response with_status(unsigned status, std::string body) {
  return http::response::of(status, json_type, std::move(body));
}

http::response plain(unsigned status, std::string body) {
  return http::response::of(status, "text/plain", std::move(body));
}

std::string quoted(std::string_view value) {
  return '"' + std::string{value.substr(0, 200)} + '"';
}

} // namespace

http::response json_answer(std::string body) {
  return with_status(200, std::move(body));
}

http::response success() {
  return json_answer(R"({"success":true})");
}

http::response illegal_argument(std::string text) {
  return plain(400, std::move(text))
    .with(exception_header, illegal_argument_class);
}

http::response bad_json(std::string_view why) {
  return with_status(400, object_with("message", why) + '}');
}

http::response bad_json(const kit::json_reader& reader) {
  return reader.fault() == kit::json_fault::not_finite
           ? illegal_argument(reader.why())
           : bad_json(reader.why());
}

http::response empty_body() {
  return with_status(422, R"({"errors":[]})");
}

http::response not_a_number(std::string_view value) {
  return plain(400, quoted(value) + " is not a number.");
}

http::response not_a_boolean(std::string_view value) {
  return plain(400, quoted(value) + R"( must be "true" or "false".)");
}

http::response not_authorized() {
  return with_status(403, R"({"reason":"not authorized"})")
    .with(exception_header, unauthorized_class);
}

http::response queue_forbidden(std::string_view queue) {
  return with_status(403, object_with("queue", queue) + '}');
}

http::response not_found() {
  return plain(404, "There is nothing here.\n");
}

http::response unsupported_media_type() {
  return plain(415, "The body must be application/json.\n");
}

http::response not_acceptable() {
  return plain(406, "Answers are application/json.\n");
}

http::response unknown_move(std::string_view reference) {
  // It stood in a path, and need not be UTF-8.
  auto body = json_text(json{
    {"id", reference},
    {"message", "Unknown move: " + std::string{reference}},
    {"suppressed", json::array()}});
  return with_status(404, std::move(body))
    .with(exception_header, unknown_move_class);
}

http::response service_unavailable(std::string_view why) {
  const auto seconds = std::to_string(retry_after_s);
  auto body = object_with("message", why) + ",\"retryAfterSeconds\":" + seconds
              + ",\"suppressed\":[]}";
  return with_status(503, std::move(body))
    .with(exception_header, unavailable_class)
    .with("Retry-After", seconds);
}

http::response queue_full(bool over_bytes) {
  return service_unavailable(over_bytes
                               ? "the queue holds as many bytes of this key as "
                                 "it may"
                               : "the queue holds as many messages of this key "
                                 "as it may");
}

http::response too_many_requests() {
  return service_unavailable("as many requests of this key for the queue as "
                             "its quota allows");
}

http::response key_expired() {
  return with_status(403, R"({"reason":"the key has expired"})")
    .with(exception_header, unauthorized_class);
}

http::response failure(const caf::error& why) {
  if (why == ec::invalid_argument || why == ec::too_large)
    return illegal_argument(render(why));
  if (why == ec::malformed || why == ec::store_damaged)
    return with_status(500, object_with("message", render(why)) + '}');
  return service_unavailable(render(why));
}

} // namespace depositd::emodb
