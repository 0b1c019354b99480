#include "adapters/doors/deposits/door.hpp"

#include "adapters/doors/deposits/cookie.hpp"
#include "adapters/doors/deposits/parts.hpp"

#include <nlohmann/json.hpp>
#include <spdlog/spdlog.h>

#include <utility>

namespace depositd::deposits {

namespace {

/// The stored hash of the user's password now; empty: no such account, or the
/// accounts are not known.
std::string hash_now(door_pointer self, const std::string& user) {
  const auto& control = self->state.logins->control();
  if (!control)
    return {};
  const auto found = control->accounts.find(user);
  return found == control->accounts.end() ? std::string{}
                                          : found->second.password_hash;
}

/// Opened with this password; one that was changed meanwhile opens nothing.
void open_session(door_pointer self, const log_in_request& given,
                  const std::string& user, const std::string& proof) {
  auto& state = self->state;
  const auto made = state.sessions->open(user, self->clock().now(), proof);
  if (!made) {
    given.answer->send(
      answer_of(self, caf::make_error(ec::overloaded, "too many sessions")));
    return;
  }
  auto answer = document_answer(
    200, session_document(made->what, state.options.body_bytes_max));
  given.answer->send(std::move(answer).with(
    "Set-Cookie", session_cookie(made->id, given.secure)));
}

void leave(door_pointer self, const page_request& given) {
  self->state.sessions->close(given.shown.session);
  http::response out;
  out.status = 204;
  given.answer->send(std::move(out).with("Set-Cookie", no_cookie()));
}

} // namespace

const kit::session* session_of(door_pointer self, const pass& shown) {
  auto& sessions = *self->state.sessions;
  const auto* found = sessions.find(shown.session, self->clock().now());
  if (found == nullptr)
    return nullptr;
  if (!found->proof.empty() && found->proof == hash_now(self, found->name))
    return found;
  sessions.close(shown.session);
  return nullptr;
}

void log_in(door_pointer self, const log_in_request& given) {
  const auto before = hash_now(self, given.who.user());
  self->state.logins->enter(
    given.who, given.peer,
    {[=](const std::string& user) {
       open_session(self, given, user,
                    before.empty() ? hash_now(self, user) : before);
     },
     [=](const accounts::login_refusal& why) {
       given.answer->send(
         refused_login(why, self->state.options.retry_after_s));
     }});
}

void show(door_pointer self, const page_request& given) {
  const auto* session = session_of(self, given.shown);
  if (session == nullptr) {
    given.answer->send(no_session());
    return;
  }
  const auto user = session->name;
  switch (given.what) {
    case wanted::session:
      given.answer->send(document_answer(
        200, session_document(*session, self->state.options.body_bytes_max)));
      return;
    case wanted::leave:
      if (kit::shows_csrf(*session, given.shown.csrf))
        leave(self, given);
      else
        given.answer->send(forged());
      return;
    case wanted::mine:
      list_own(self, given, user);
      return;
    case wanted::submission:
      show_one(self, given, user);
      return;
    case wanted::place:
      tell_place(self, given, user);
      return;
  }
}

door_actor::behavior_type door(actor_with<door_state>* self,
                               door_options options) {
  self->state.options = std::move(options);
  const auto& how = self->state.options;
  self->state.sessions.emplace(how.sessions);
  self->state.logins.emplace(accounts::login_desk_options{
    .check = accounts::asking(self, how.logins, how.ask_timeout)});
  self->state.asked.emplace(
    self->home_system(),
    kit::gateway::options{.patience = accounts::answer_patience});
  follow_control(self, how.shard, {.patience = how.ask_timeout});
  return {
    [=](const log_in_request& x) { log_in(self, x); },
    [=](const page_request& x) { show(self, x); },
    [=](const file_begun& x) { look_ahead(self, x); },
    [=](const upload_request& x) { take_upload(self, x); },
    [=](const control_changed& x) {
      self->state.logins->take_accounts(x.state);
    },
    [=](const control_unknown& x) {
      // Without accounts nobody can log in.
      self->state.logins->refuse_early();
      spdlog::warn("deposits_page_has_no_accounts reason=\"{}\"",
                   render(x.why));
    },
  };
}

} // namespace depositd::deposits
