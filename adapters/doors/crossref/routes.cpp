// HTTP threads: a request becomes a message to the door.

#include "adapters/doors/accounts/deposit_desk.hpp"
#include "adapters/doors/crossref/door.hpp"
#include "adapters/doors/crossref/pages.hpp"
#include "adapters/doors/http/form.hpp"
#include "messages/values/batch_ids.hpp"
#include "messages/values/trace_context.hpp"

namespace depositd::crossref {

namespace {

using accounts::given_fields;

http::response login_too_long() {
  return failure_page(400, "The login is too long.");
}

void take_deposit(const door_actor& whom, http::request&& from,
                  http::responder answer, bool synchronous) {
  const auto form = http::read_form(from);
  const auto* file = form ? accounts::file_of(*form) : nullptr;
  given_fields given{from, form ? &*form : nullptr};
  deposit_request out;
  out.who = given.login();
  if (out.who.too_long()) {
    answer.send(login_too_long());
    return;
  }
  if (file == nullptr) {
    answer.send(out.who.given || form
                  ? failure_page(400, "No file in request.")
                  : failure_page(400, "The request is not a form."));
    return;
  }
  out.peer = from.peer;
  out.operation = given.text({"operation"});
  out.file_name = file->file_name;
  if (out.file_name.empty())
    out.file_name = given.text({"fname"});
  if (out.file_name.size() > file_name_bytes_max) {
    answer.send(failure_page(400, "The file name is too long."));
    return;
  }
  const auto* trace = from.header(traceparent_header);
  if (trace != nullptr && legal_traceparent(*trace))
    out.trace = *trace;
  out.bytes = std::make_shared<const std::string>(file->data);
  out.files = accounts::files_in(*form);
  out.synchronous = synchronous;
  out.answer = std::make_shared<http::responder>(std::move(answer));
  caf::anon_send(whom, std::move(out));
}

/// Credentials in the query: whoever is over the limit need not send the file,
/// and nothing is unpacked for who may not enter.
void look_ahead(const door_actor& whom, const http::request& head,
                http::gatekeeper gate, bool deposits) {
  given_fields given{head, nullptr};
  auto who = given.login();
  if (!who.given) {
    gate.pass();
    return;
  }
  if (who.too_long()) {
    gate.refuse(login_too_long());
    return;
  }
  caf::anon_send(
    whom, deposit_begun{std::make_shared<http::gatekeeper>(std::move(gate)),
                        std::move(who), head.peer,
                        deposits ? given.text({"operation"}) : ""});
}

void take_status(const door_actor& whom, http::request&& from,
                 http::responder answer) {
  auto form = from.method == "POST" ? http::read_form(from)
                                    : caf::expected<http::form>{http::form{}};
  given_fields given{from, form ? &*form : nullptr};
  status_request out;
  out.who = given.login();
  if (out.who.too_long()) {
    answer.send(login_too_long());
    return;
  }
  out.peer = from.peer;
  out.type = given.text({"type"});
  out.file_name = given.text({"file_name"});
  // As it is read from the file.
  out.batch_id = batch_id_of(given.text({"doi_batch_id"}));
  out.submission_id = given.text({"submission_id"});
  out.answer = std::make_shared<http::responder>(std::move(answer));
  caf::anon_send(whom, std::move(out));
}

} // namespace

void add_door_routes(http::router& routes, const door_actor& whom,
                     const door_options& options) {
  http::route_options queued;
  // The form around the file takes some bytes too.
  queued.body_bytes_max = options.body_bytes_max + 64 * 1024;
  queued.urlencoded_bytes_max = http::urlencoded_bytes_max;
  queued.laborious = true;
  queued.late = std::make_shared<const http::response>(unanswered_page());
  queued.copies = 2; // the file by itself, and on its way to where it is kept
  queued.before_body = [=](const http::request& head, http::gatekeeper gate) {
    look_ahead(whom, head, std::move(gate), true);
  };
  routes.add(
    "POST", "/servlet/deposit",
    [=](http::request&& from, http::responder answer) {
      take_deposit(whom, std::move(from), std::move(answer), false);
    },
    queued);
  auto at_once = queued;
  at_once.answer_limit = options.synchronous_timeout;
  for (const auto* path : {"/v2/deposits", "/v2/deposit"})
    routes.add(
      "POST", path,
      [=](http::request&& from, http::responder answer) {
        take_deposit(whom, std::move(from), std::move(answer), true);
      },
      at_once);
  http::route_options asked;
  asked.urlencoded_bytes_max = http::urlencoded_bytes_max;
  asked.laborious = true;
  asked.repeatable = true;
  asked.before_body = [=](const http::request& head, http::gatekeeper gate) {
    look_ahead(whom, head, std::move(gate), false);
  };
  for (const auto* method : {"GET", "POST"})
    routes.add(
      method, "/servlet/submissionDownload",
      [=](http::request&& from, http::responder answer) {
        take_status(whom, std::move(from), std::move(answer));
      },
      asked);
}

} // namespace depositd::crossref
