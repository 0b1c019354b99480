// HTTP threads: a request about what is stored becomes a message to the door.

#include "adapters/doors/poster/answers.hpp"
#include "adapters/doors/poster/door.hpp"
#include "adapters/processing/merritt/manifest.hpp"

#include <utility>

namespace depositd::poster {

namespace {

using accounts::given_fields;

constexpr std::size_t order_bytes_max = 64 * 1024;

void take(const door_actor& whom, http::request&& from, http::responder answer,
          order_request out) {
  http::form form;
  if (!from.body.empty()) {
    auto read = http::read_form(from);
    if (!read) {
      answer.send(error_answer(read.error(), 1));
      return;
    }
    form = std::move(*read);
  }
  if (auto forged = refuse_forged(from)) {
    answer.send(std::move(*forged));
    return;
  }
  given_fields fields{from, &form};
  out.who = fields.basic_or_login();
  if (out.who.too_long()) {
    answer.send(refusal(400, "The login is too long."));
    return;
  }
  out.peer = from.peer;
  out.reason = fields.text({"reason"});
  if (!from.captured.empty())
    out.what.object = merritt::kept_identifier(from.captured.front());
  out.what.file = fields.text({"file"});
  if (out.what.kind == order_kind::restore_object && !out.what.file.empty())
    out.what.kind = order_kind::restore_file;
  if (out.what.kind == order_kind::delete_item && fields.find({"file"})) {
    // Whoever means a file, or an empty name, must not lose the object by that.
    answer.send(refusal(400, "No file is deleted alone: its bytes would stay "
                             "in earlier versions. Leave out file to ask for "
                             "the whole object to be deleted."));
    return;
  }
  out.answer = std::make_shared<http::responder>(std::move(answer));
  caf::anon_send(whom, std::move(out));
}

} // namespace

void add_order_routes(http::router& routes, const door_actor& whom,
                      const door_options& options) {
  http::route_options limits;
  say_as_this_door(limits);
  limits.body_bytes_max = order_bytes_max;
  limits.answer_limit = options.answer_limit;
  const auto add = [&](const std::string& path, order_kind kind) {
    routes.add(
      "POST", path + "/{object...}",
      [=](http::request&& from, http::responder answer) {
        order_request out;
        out.what.kind = kind;
        take(whom, std::move(from), std::move(answer), std::move(out));
      },
      limits);
  };
  add("/poster/restore", order_kind::restore_object);
  add("/poster/recall", order_kind::restore_glacier);
  add("/poster/fixity", order_kind::fixity_check);
  add("/poster/delete", order_kind::delete_item);
  http::route_options listed;
  say_as_this_door(listed);
  listed.repeatable = true;
  routes.add(
    "GET", "/poster/deletions",
    [=](http::request&& from, http::responder answer) {
      order_request out;
      out.lists = true;
      take(whom, std::move(from), std::move(answer), std::move(out));
    },
    listed);
}

} // namespace depositd::poster
