#include "adapters/doors/deposits/answers.hpp"

#include "adapters/stores/files/sha256.hpp"
#include "messages/values/clock.hpp"
#include "messages/values/json_text.hpp"
#include "messages/values/operations.hpp"
#include "messages/values/time_text.hpp"
#include "messages/values/words.hpp"

#include <nlohmann/json.hpp>

#include <utility>

namespace depositd::deposits {

namespace {

using json = nlohmann::ordered_json;

http::response later(unsigned retry_after_s, std::string_view text) {
  return refusal(429, "throttled", text)
    .with("Retry-After", std::to_string(retry_after_s));
}

http::response not_now(unsigned retry_after_s) {
  return refusal(503, "overloaded", "Nobody can answer now. Try again later.")
    .with("Retry-After", std::to_string(retry_after_s));
}

const char* word_of(unsigned status) {
  return status == 404   ? "not_found"
         : status == 405 ? "not_allowed"
         : status == 413 ? "too_large"
                         : "malformed";
}

json time_or_null(micros at) {
  return at == never ? json{} : json(format_utc(at));
}

} // namespace

http::response document_answer(unsigned status, const json& what) {
  // Strangers are quoted, and what they send need not be UTF-8.
  return http::response::of(status, "application/json", json_text(what) + '\n')
    .with("Cache-Control", "no-store")
    .with("X-Content-Type-Options", "nosniff");
}

http::response refusal(unsigned status, std::string_view word,
                       std::string_view text) {
  return document_answer(status, {{"error", word}, {"text", text}});
}

std::optional<http::response> refused_by_server(const http::request& what,
                                                unsigned status,
                                                std::string_view text) {
  if (what.path != "/deposits" && !what.path.starts_with("/deposits/"))
    return std::nullopt;
  return refusal(status, word_of(status), text);
}

http::response known_answer(std::string document, std::string_view known) {
  const auto tag = '"' + sha256_hex(document).substr(0, 32) + '"';
  const bool same = known.find(tag) != known.npos;
  auto out = http::response::of(same ? 304 : 200, "application/json",
                                same ? std::string{} : std::move(document));
  return std::move(out)
    .with("ETag", tag)
    .with("Cache-Control", "private, no-cache")
    .with("X-Content-Type-Options", "nosniff");
}

http::response no_session() {
  return refusal(401, "not_logged_in", "Log in first.");
}

http::response forged() {
  return refusal(403, "forged",
                 "The request does not come from the depositors' page.");
}

http::response unknown_one() {
  return refusal(404, "not_found", "You have no such submission.");
}

http::response error_answer(const caf::error& why, unsigned retry_after_s) {
  if (why == ec::pending_limit_reached)
    return later(retry_after_s,
                 "Too many pending submissions. Try again later.");
  if (why == ec::quota_reached)
    return later(retry_after_s, render(why) + ". Try again later.");
  if (why == ec::invalid_argument || why == ec::malformed)
    return refusal(400, "invalid_argument", render(why));
  if (why == ec::not_allowed)
    return refusal(403, "not_allowed", render(why));
  if (why == ec::not_found)
    return refusal(404, "not_found", render(why));
  if (why == ec::too_large)
    return refusal(413, "too_large", render(why));
  // Draining, recovering, overloaded, or no answer in time: try again.
  return not_now(retry_after_s);
}

http::response refused_login(const accounts::login_refusal& why,
                             unsigned retry_after_s) {
  switch (why.fault) {
    case accounts::login_fault::none_given:
    case accounts::login_fault::wrong:
      return refusal(401, "wrong_credentials", "Wrong user or password.");
    case accounts::login_fault::limited:
      return later(60, "Too many failed logins. Try again later.");
    case accounts::login_fault::busy:
      return not_now(1);
    case accounts::login_fault::failed:
      break;
  }
  return error_answer(why.why, retry_after_s);
}

http::response refused_deposit(accounts::deposit_fault fault) {
  switch (fault) {
    case accounts::deposit_fault::unknown_operation:
      return refusal(400, "invalid_argument",
                     "Unknown operation; there are " + operation_words() + ".");
    case accounts::deposit_fault::over_quota:
      return later(1, "As many requests as the quota allows. Try again "
                      "later.");
    case accounts::deposit_fault::too_large:
    case accounts::deposit_fault::none:
      break;
  }
  return refusal(413, "too_large", "The file is too large.");
}

json session_document(const kit::session& x, std::uint64_t file_bytes_max) {
  json words = json::array();
  for (const auto& operation : operations)
    words.push_back(operation.word);
  return {{"name", x.name},
          {"csrf", x.csrf},
          {"expires_at", format_utc(engine_clock::system().at(x.expires))},
          {"operations", std::move(words)},
          {"file_bytes_max", file_bytes_max}};
}

json document_of(const submission_row& row) {
  const bool over = row.status == submission_status::completed;
  return {{"id", row.id},
          {"file_name", row.submission.file_name},
          {"operation", row.submission.operation},
          {"queue", row.queue},
          {"size", row.submission.size},
          {"status", word(row.status)},
          {"failed", row.failed},
          {"parked", row.parked && !over},
          {"attempt", row.attempt},
          {"batch_id", row.batch_id},
          {"reason", row.reason},
          {"received_at", time_or_null(row.received_us)},
          {"started_at", time_or_null(row.started_us)},
          {"finished_at", time_or_null(row.finished_us)}};
}

} // namespace depositd::deposits
