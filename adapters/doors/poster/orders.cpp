// Orders about what is stored: a user has their own objects given back,
// compared, or asks for them to be deleted.

#include "messages/orders.hpp"
#include "adapters/doors/poster/parts.hpp"
#include "messages/shard.hpp"
#include "messages/values/operations.hpp"
#include "messages/values/time_text.hpp"

#include <nlohmann/json.hpp>

#include <utility>

namespace depositd::poster {

namespace {

using json = nlohmann::ordered_json;

/// In the list of a user's requests for deletion.
constexpr std::size_t listed_requests_max = 1'000;

json text_or_null(const std::string& x) {
  return x.empty() ? json{} : json(x);
}

json request_document(const deletion_changed& x) {
  json objects = json::array();
  for (const auto& one : x.targets)
    objects.push_back(one.object);
  const char* state = x.rejected_us != never ? "rejected"
                      : x.queued_us != never ? "queued"
                      : is_approved(x)       ? "approved"
                                             : "asked";
  return {{"reference", x.reference},
          {"state", state},
          {"objects", std::move(objects)},
          {"asked_by", x.asked_by},
          {"asked_at", format_utc(x.asked_us)},
          {"reason", text_or_null(x.reason)},
          {"inst_approver", text_or_null(x.inst_approver)},
          {"aptrust_approver", text_or_null(x.aptrust_approver)},
          {"rejected_by", text_or_null(x.rejected_by)}};
}

json order_document(const order_placed& x) {
  return {{"bid", x.batch},         {"batch", x.info.uuid},
          {"order", x.info.type},   {"collection", x.info.collection},
          {"object", x.info.title}, {"file", text_or_null(x.info.file_name)}};
}

http::response no_desk() {
  return refusal(404, "Nothing is stored here.");
}

/// As operators call it.
std::string command_of(order_kind x) {
  switch (x) {
    case order_kind::restore_object:
      return "object restore";
    case order_kind::restore_file:
      return "file restore";
    case order_kind::restore_glacier:
      return "glacier restore";
    case order_kind::fixity_check:
      return "fixity run";
    case order_kind::delete_item:
      return "object delete";
  }
  return {};
}

/// Tells the audit log of it.
void tell(door_pointer self, const order_request& x, const std::string& user,
          const caf::error& why = {}) {
  self->state.options.audit->tell({"user " + user,
                                   x.peer,
                                   command_of(x.what.kind),
                                   {{"object", x.what.object},
                                    {"file", x.what.file},
                                    {"reason", x.reason}}},
                                  why);
}

void refuse(door_pointer self, const order_request& x, const std::string& user,
            const caf::error& why) {
  tell(self, x, user, why);
  x.answer->send(answer_of(self, why));
}

void place(door_pointer self, const order_request& x, const std::string& user) {
  const auto& options = self->state.options;
  place_order what;
  what.what = x.what;
  what.what.asked_by = "user " + user;
  what.source = source_http.name;
  what.limits.users = {user};
  self->request(options.orders, options.ask_timeout, std::move(what))
    .then(
      [=](const order_placed& said) {
        tell(self, x, user);
        x.answer->send(document_answer(200, order_document(said)));
      },
      [=](const caf::error& why) { refuse(self, x, user, why); });
}

void ask_for_deletion(door_pointer self, const order_request& x,
                      const std::string& user) {
  const auto& options = self->state.options;
  ask_deletion what;
  what.objects = {x.what.object};
  what.asked_by = "user " + user;
  what.reason = x.reason;
  what.limits.users = {user};
  self->request(options.orders, options.ask_timeout, std::move(what))
    .then(
      [=](const deletion_asked& said) {
        tell(self, x, user);
        x.answer->send(document_answer(202, request_document(said.request)));
      },
      [=](const caf::error& why) { refuse(self, x, user, why); });
}

void list_requests(door_pointer self, const order_request& x,
                   const std::string& user) {
  json out{{"requests", json::array()}};
  for (const auto& [reference, one] : self->state.logins->control()->deletions)
    if (one.user == user && out["requests"].size() < listed_requests_max)
      out["requests"].push_back(request_document(one));
  x.answer->send(document_answer(200, out));
}

} // namespace

void take_order(door_pointer self, const order_request& given) {
  with_login(
    self, given.who, given.peer,
    {[=](const std::string& user) {
       if (given.lists)
         list_requests(self, given, user);
       else if (!self->state.options.orders)
         given.answer->send(no_desk());
       else if (!within_quota(self, order_pipeline(given.what.kind), user))
         given.answer->send(over_quota());
       else if (given.what.kind == order_kind::delete_item)
         ask_for_deletion(self, given, user);
       else
         place(self, given, user);
     },
     [=](http::response what) { given.answer->send(std::move(what)); }});
}

} // namespace depositd::poster
