// HTTP threads: a request becomes a message to the door.

#include "adapters/doors/poster/answers.hpp"
#include "adapters/doors/poster/door.hpp"

#include <algorithm>
#include <utility>

namespace depositd::poster {

namespace {

using accounts::given_fields;

/// What a row of a manifest takes in memory while it is read, about.
constexpr std::uint64_t row_bytes = 640;

http::response login_too_long() {
  return refusal(400, "The login is too long.");
}

void take_form(const door_actor& whom, http::request&& from,
               http::responder answer, bool update) {
  if (auto forged = refuse_forged(from)) {
    answer.send(std::move(*forged));
    return;
  }
  auto posted = std::make_shared<posted_form>();
  posted->request = std::move(from);
  const auto& request = posted->request;
  submission_target target;
  if (!request.captured.empty())
    target.ark = request.captured.front();
  target.update = update;
  auto form = http::read_form(request);
  if (form)
    posted->form = std::move(*form);
  submit_request out;
  out.who = given_fields{request, &posted->form}.basic_or_login();
  if (out.who.too_long()) {
    answer.send(login_too_long());
    return;
  }
  if (!form)
    posted->fault = form.error();
  else if (auto what = read_submission(posted->form, target))
    posted->what = std::move(*what);
  else
    posted->fault = what.error();
  out.peer = request.peer;
  out.posted = std::move(posted);
  out.answer = std::make_shared<http::responder>(std::move(answer));
  caf::anon_send(whom, std::move(out));
}

/// Who says in the head who he is need not send the rest to hear that he is
/// not.
void look_ahead(const door_actor& whom, const http::request& head,
                http::gatekeeper gate) {
  auto who = given_fields{head, nullptr}.basic_or_login();
  if (auto forged = refuse_forged(head))
    gate.refuse(std::move(*forged));
  else if (!who.given)
    gate.pass();
  else if (who.too_long())
    gate.refuse(login_too_long());
  else
    caf::anon_send(
      whom, submit_begun{std::make_shared<http::gatekeeper>(std::move(gate)),
                         std::move(who), head.peer});
}

void ask(const door_actor& whom, http::request&& from, http::responder answer,
         document_kind kind) {
  document_request out;
  out.who = given_fields{from, nullptr}.basic_or_login();
  if (out.who.too_long()) {
    answer.send(login_too_long());
    return;
  }
  out.peer = from.peer;
  out.kind = kind;
  out.id = from.captured.front();
  out.answer = std::make_shared<http::responder>(std::move(answer));
  caf::anon_send(whom, std::move(out));
}

/// Lines that could be rows.
std::size_t count_rows(std::string_view manifest) {
  std::size_t out = 0;
  char before = '\n';
  for (const char c : manifest) {
    out += before == '\n' && c != '\n' && c != '\r' && c != '#';
    before = c;
  }
  return out;
}

} // namespace

void check_manifest(http::request&& from, http::responder answer) {
  std::string_view manifest = from.body;
  const auto* type = from.header("content-type");
  if (type && http::parse_header_value(*type).token == "multipart/form-data") {
    const auto form = http::read_form(from);
    if (!form) {
      answer.send(error_answer(form.error(), 1));
      return;
    }
    const auto file =
      std::find_if(form->parts.begin(), form->parts.end(), http::is_file);
    if (file == form->parts.end()) {
      answer.send(refusal(400, "There is no file in the form."));
      return;
    }
    manifest = file->data;
  }
  const auto rows = count_rows(manifest);
  if (rows > check_rows_max)
    answer.send(refusal(413, "More than " + std::to_string(check_rows_max)
                               + " rows are not checked here."));
  else if (!answer.hold(rows * row_bytes))
    answer.send(unavailable(1, "There is no memory for this request."));
  else
    answer.send(manifest_answer(manifest));
}

void add_door_routes(http::router& routes, const door_actor& whom,
                     const door_options& options) {
  http::route_options submitted;
  say_as_this_door(submitted);
  submitted.body_bytes_max = options.body_bytes_max;
  submitted.urlencoded_bytes_max = http::urlencoded_bytes_max;
  submitted.answer_limit = options.answer_limit;
  submitted.laborious = true;
  submitted.before_body = [=](const http::request& head, http::gatekeeper x) {
    look_ahead(whom, head, std::move(x));
  };
  for (const std::string path :
       {"/poster/submit", "/poster/add", "/poster/update"})
    for (const auto* rest : {"", "/{ark...}"})
      routes.add(
        "POST", path + rest,
        [=, update = path.ends_with("update")](http::request&& from,
                                               http::responder answer) {
          take_form(whom, std::move(from), std::move(answer), update);
        },
        submitted);
  http::route_options asked;
  say_as_this_door(asked);
  asked.repeatable = true;
  for (const auto& [path, kind] :
       {std::pair{"/poster/batches/{id}", document_kind::batch},
        std::pair{"/poster/jobs/{id}", document_kind::job}})
    routes.add(
      "GET", path,
      [=, kind = kind](http::request&& from, http::responder answer) {
        ask(whom, std::move(from), std::move(answer), kind);
      },
      asked);
  http::route_options checked;
  say_as_this_door(checked);
  checked.body_bytes_max = std::min(options.body_bytes_max, check_bytes_max);
  checked.laborious = true;
  routes.add("POST", "/poster/check", check_manifest, checked);
  add_order_routes(routes, whom, options);
}

} // namespace depositd::poster
