#include "adapters/doors/poster/answers.hpp"

#include "adapters/doors/http/browser.hpp"
#include "adapters/processing/merritt/manifest.hpp"
#include "messages/values/json_text.hpp"

#include <nlohmann/json.hpp>

#include <memory>
#include <string>

namespace depositd::poster {

namespace {

using json = nlohmann::ordered_json;

/// The word of the form's field `type`.
const char* word_of(merritt::manifest_kind kind) {
  switch (kind) {
    case merritt::manifest_kind::object:
      return "object-manifest";
    case merritt::manifest_kind::batch_of_manifests:
      return "batch-manifest";
    case merritt::manifest_kind::batch_of_containers:
      return "container-batch-manifest";
    case merritt::manifest_kind::batch_of_files:
      return "single-file-batch-manifest";
    case merritt::manifest_kind::contents:
      break;
  }
  return "contents-manifest";
}

} // namespace

http::response document_answer(unsigned status, const json& what) {
  // Strangers are quoted, and what they send need not be UTF-8.
  return http::response::of(status, "application/json", json_text(what) + '\n');
}

http::response refusal(unsigned status, std::string_view reason) {
  return document_answer(status, {{"error", reason}});
}

http::response login_refusal(std::string_view reason) {
  return refusal(401, reason)
    .with("WWW-Authenticate", "Basic realm=\"depositd\"");
}

// A login in the form is typed on that page; scripts with one of their own in
// the header are asked by the browser first, and hear nothing good.
std::optional<http::response> refuse_forged(const http::request& from) {
  if (!from.header("authorization") || http::is_from_own_page(from))
    return std::nullopt;
  return refusal(403, "A page of somebody else has sent this.");
}

http::response later(unsigned retry_after_s, std::string_view reason) {
  return refusal(429, reason)
    .with("Retry-After", std::to_string(retry_after_s));
}

http::response unavailable(unsigned retry_after_s, std::string_view reason) {
  return refusal(503, reason)
    .with("Retry-After", std::to_string(retry_after_s));
}

void say_as_this_door(http::route_options& to) {
  to.unavailable = [](const http::hindrance& why) {
    return unavailable(1, why.text);
  };
  to.late = std::make_shared<const http::response>(
    refusal(504, "The request was not answered in time."));
}

std::optional<http::response> refused_by_server(const http::request& what,
                                                unsigned status,
                                                std::string_view text) {
  if (!what.path.starts_with("/poster/"))
    return std::nullopt;
  return refusal(status, text);
}

http::response error_answer(const caf::error& why, unsigned retry_after_s) {
  if (why == ec::pending_limit_reached)
    return later(retry_after_s, "Too many pending submissions. Try again "
                                "later.");
  if (why == ec::quota_reached)
    return later(retry_after_s, render(why) + ". Try again later.");
  if (why == ec::invalid_argument || why == ec::malformed)
    return refusal(400, render(why));
  if (why == ec::not_allowed)
    return refusal(403, render(why));
  if (why == ec::not_found)
    return refusal(404, render(why));
  if (why == ec::already_exists)
    return refusal(409, render(why));
  if (why == ec::too_large)
    return refusal(413, render(why));
  // Draining, recovering, overloaded, or no answer in time: try again.
  return unavailable(retry_after_s,
                     "Nobody can answer now. Try again later.");
}

http::response refused_login(const accounts::login_refusal& why,
                             unsigned retry_after_s) {
  switch (why.fault) {
    case accounts::login_fault::none_given:
      return login_refusal("No login in the request.");
    case accounts::login_fault::wrong:
      return login_refusal("Wrong user or password.");
    case accounts::login_fault::limited:
      return later(60, "Too many failed logins. Try again later.");
    case accounts::login_fault::busy:
      return unavailable(1, "Too many log in now. Try again later.");
    case accounts::login_fault::failed:
      break;
  }
  return error_answer(why.why, retry_after_s);
}

http::response manifest_answer(std::string_view manifest) {
  const auto reading = merritt::read_manifest(manifest);
  if (const auto fault = merritt::judge(reading))
    return document_answer(
      422, {{"ok", false}, {"line", fault->line}, {"reason", fault->reason}});
  return document_answer(200, {{"ok", true},
                               {"kind", word_of(reading.found.kind)},
                               {"rows", reading.found.rows.size()}});
}

} // namespace depositd::poster
