// A file comes in from the page.

#include "adapters/doors/deposits/parts.hpp"
#include "messages/values/operations.hpp"

#include <nlohmann/json.hpp>

namespace depositd::deposits {

namespace {

void look_for_room(door_pointer self, const file_begun& given,
                   const std::string& user) {
  const auto* wanted = find_operation_or_default(given.operation);
  const auto gate = given.gate;
  if (wanted == nullptr) {
    gate->refuse(refused_deposit(accounts::deposit_fault::unknown_operation));
    return;
  }
  const auto& options = self->state.options;
  self
    ->request(options.shard, options.ask_timeout,
              count_pending{std::string{wanted->queue}, user})
    .then(
      [=](const pending_counted& counted) {
        if (const auto why = accounts::too_much(counted))
          gate->refuse(answer_of(self, why));
        else
          gate->pass();
      },
      [=](const caf::error& why) { gate->refuse(answer_of(self, why)); });
}

http::response taken(const upload_request& x, item_id id) {
  return document_answer(200, {{"id", id}, {"file_name", x.file_name}});
}

} // namespace

// Before the body: who is not logged in, or has a full queue, hears it at once.
void look_ahead(door_pointer self, const file_begun& given) {
  const auto* session = session_of(self, given.shown);
  if (session == nullptr)
    given.gate->refuse(no_session());
  else if (!kit::shows_csrf(*session, given.shown.csrf))
    given.gate->refuse(forged());
  else if (!given.deposits)
    given.gate->pass();
  else
    look_for_room(self, given, session->name);
}

void take_upload(door_pointer self, const upload_request& given) {
  const auto* session = session_of(self, given.shown);
  if (session == nullptr)
    return void(given.answer->send(no_session()));
  if (!kit::shows_csrf(*session, given.shown.csrf))
    return void(given.answer->send(forged()));
  auto& state = self->state;
  const auto& options = state.options;
  const accounts::file_deposit x{
    session->name, session->name, given.operation,     given.file_name,
    given.trace,   given.bytes,   given.answer->keep()};
  const auto fault =
    accounts::judge(x, {*state.logins->control(), *options.quotas,
                        self->clock().now(), options.body_bytes_max});
  if (fault != accounts::deposit_fault::none)
    return void(given.answer->send(refused_deposit(fault)));
  accounts::hand_in(
    self, {options.shard, options.blobs, *state.asked, options.ask_timeout}, x,
    [given, later = options.retry_after_s](const caf::expected<item_id>& said) {
      given.answer->send(said ? taken(given, *said)
                              : error_answer(said.error(), later));
    });
}

} // namespace depositd::deposits
