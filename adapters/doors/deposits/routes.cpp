// HTTP threads: a request becomes a message to the door.

#include "adapters/doors/deposits/answers.hpp"
#include "adapters/doors/deposits/cookie.hpp"
#include "adapters/doors/deposits/door.hpp"
#include "adapters/doors/http/browser.hpp"
#include "adapters/doors/http/form.hpp"
#include "adapters/doors/kit/login_document.hpp"
#include "messages/values/password_hash.hpp"
#include "messages/values/trace_context.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <utility>

namespace depositd::deposits {

namespace {

http::response malformed(std::string_view text) {
  return refusal(400, "malformed", text);
}

std::string media_type(const http::request& from) {
  const auto* type = from.header("content-type");
  return type ? http::parse_header_value(*type).token : std::string{};
}

std::optional<accounts::credentials> read_login(const std::string& body) {
  auto given = kit::read_login_document(body);
  if (!given)
    return std::nullopt;
  accounts::credentials out;
  out.login = std::move(given->name);
  out.password = given->password.substr(0, password_bytes_max + 1);
  out.given = true;
  return out;
}

void take_login(const door_actor& whom, http::request&& from,
                http::responder answer) {
  if (!http::is_from_own_page(from))
    return void(answer.send(forged()));
  // Forms of other pages cannot send this type.
  if (media_type(from) != "application/json")
    return void(answer.send(
      refusal(415, "malformed", "The login must be application/json.")));
  auto who = read_login(from.body);
  if (!who)
    return void(
      answer.send(
        malformed("The login must have a name and a password, once each.")));
  if (who->too_long())
    return void(answer.send(malformed("The login is too long.")));
  caf::anon_send(
    whom, log_in_request{std::make_shared<http::responder>(std::move(answer)),
                         std::move(*who), from.peer, from.secure});
}

/// 0 is no number of a submission.
item_id number_in(const std::string& text) {
  item_id out = 0;
  const auto* end = text.data() + text.size();
  const auto [stop, code] = std::from_chars(text.data(), end, out);
  return stop == end && code == std::errc{} ? out : 0;
}

void ask(const door_actor& whom, const http::request& from,
         http::responder answer, wanted what, item_id id = 0) {
  page_request out;
  out.shown = shown_in(from);
  out.what = what;
  out.id = id;
  if (const auto* known = from.header("if-none-match"))
    out.known = *known;
  out.answer = std::make_shared<http::responder>(std::move(answer));
  caf::anon_send(whom, std::move(out));
}

void ask_for_page(const door_actor& whom, http::request&& from,
                  http::responder answer) {
  const auto* after = http::find(from.query, "after");
  const auto id = after ? number_in(*after) : 0;
  if (after && id == 0)
    answer.send(malformed("after must be what a page before gave as next."));
  else
    ask(whom, from, std::move(answer), wanted::mine, id);
}

void ask_for_one(const door_actor& whom, http::request&& from,
                 http::responder answer) {
  if (const auto id = number_in(from.captured.front()))
    ask(whom, from, std::move(answer), wanted::submission, id);
  else
    answer.send(unknown_one());
}

void leave(const door_actor& whom, http::request&& from,
           http::responder answer) {
  if (http::is_from_own_page(from))
    ask(whom, from, std::move(answer), wanted::leave);
  else
    answer.send(forged());
}

std::string query_text(const http::request& from, std::string_view name) {
  const auto* found = http::find(from.query, name);
  return found ? *found : std::string{};
}

/// The file of the form, or the whole body with its name in the query. False:
/// there is none, or a name that is too long.
bool read_file(http::request&& from, upload_request& to,
               http::responder& answer) {
  to.file_name = query_text(from, "file_name");
  if (media_type(from) == "multipart/form-data") {
    const auto form = http::read_form(from);
    const auto* file = form ? accounts::file_of(*form) : nullptr;
    if (file == nullptr) {
      answer.send(malformed("There is no file in the form."));
      return false;
    }
    if (accounts::files_in(*form) > 1) {
      answer.send(malformed("There is more than one file in the form."));
      return false;
    }
    if (to.file_name.empty())
      to.file_name = file->file_name;
    if (to.operation.empty())
      if (const auto* operation = form->field("operation"))
        to.operation = operation->data;
    to.bytes = std::make_shared<const std::string>(file->data);
  } else {
    to.bytes = std::make_shared<const std::string>(std::move(from.body));
  }
  if (!to.bytes->empty() && !to.file_name.empty()
      && to.file_name.size() <= file_name_bytes_max)
    return true;
  answer.send(malformed(to.bytes->empty()      ? "The file is empty."
                        : to.file_name.empty() ? "The file has no name."
                                               : "The file name is too long."));
  return false;
}

void take_upload(const door_actor& whom, http::request&& from,
                 http::responder answer) {
  if (!http::is_from_own_page(from))
    return void(answer.send(forged()));
  upload_request out;
  out.shown = shown_in(from);
  out.operation = query_text(from, "operation");
  const auto* trace = from.header(traceparent_header);
  if (trace != nullptr && legal_traceparent(*trace))
    out.trace = *trace;
  if (!read_file(std::move(from), out, answer))
    return;
  out.answer = std::make_shared<http::responder>(std::move(answer));
  caf::anon_send(whom, std::move(out));
}

http::gate gate_of(const door_actor& whom, bool deposits) {
  return [=](const http::request& head, http::gatekeeper gate) {
    if (!http::is_from_own_page(head))
      return void(gate.refuse(forged()));
    caf::anon_send(
      whom,
      file_begun{std::make_shared<http::gatekeeper>(std::move(gate)),
                 shown_in(head), query_text(head, "operation"), deposits});
  };
}

void add_file_routes(http::router& routes, const door_actor& whom,
                     const door_options& options) {
  http::route_options uploaded;
  // The form around the file takes some bytes too.
  uploaded.body_bytes_max = options.body_bytes_max + 64 * 1024;
  uploaded.laborious = true;
  uploaded.copies = 2; // the file by itself, and in the blob store
  uploaded.before_body = gate_of(whom, true);
  routes.add(
    "POST", "/deposits/api/upload",
    [=](http::request&& from, http::responder answer) {
      take_upload(whom, std::move(from), std::move(answer));
    },
    uploaded);
  if (!options.check_manifest)
    return;
  http::route_options checked;
  checked.body_bytes_max = std::min(options.body_bytes_max, check_bytes_max);
  checked.laborious = true;
  checked.before_body = gate_of(whom, false);
  routes.add(
    "POST", "/deposits/api/check",
    [check = options.check_manifest](http::request&& from,
                                     http::responder answer) {
      // What has no body has passed no gate.
      if (from.body.empty())
        answer.send(malformed("There is no manifest."));
      else
        check(std::move(from), std::move(answer));
    },
    checked);
}

} // namespace

void add_door_routes(http::router& routes, const door_actor& whom,
                     const door_options& options) {
  add_page_routes(routes);
  http::route_options reading;
  reading.repeatable = true; // what came of a deposit may be long
  const auto get = [&](const char* path, http::handler how) {
    routes.add("GET", path, std::move(how), reading);
  };
  const auto plain = [&](const char* path, wanted what) {
    get(path, [=](http::request&& from, http::responder answer) {
      ask(whom, from, std::move(answer), what);
    });
  };
  http::route_options login;
  login.body_bytes_max = login_document_bytes_max;
  routes.add(
    "POST", "/deposits/session",
    [=](http::request&& from, http::responder answer) {
      take_login(whom, std::move(from), std::move(answer));
    },
    login);
  plain("/deposits/session", wanted::session);
  routes.add("DELETE", "/deposits/session",
             [=](http::request&& from, http::responder answer) {
               leave(whom, std::move(from), std::move(answer));
             });
  get("/deposits/api/mine",
      [=](http::request&& from, http::responder answer) {
        ask_for_page(whom, std::move(from), std::move(answer));
      });
  get("/deposits/api/submissions/{id}",
      [=](http::request&& from, http::responder answer) {
        ask_for_one(whom, std::move(from), std::move(answer));
      });
  plain("/deposits/api/place", wanted::place);
  add_file_routes(routes, whom, options);
}

} // namespace depositd::deposits
