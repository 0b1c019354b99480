#include "adapters/doors/crossref/door.hpp"

#include "adapters/doors/accounts/deposit_desk.hpp"
#include "adapters/doors/crossref/parts.hpp"

#include <spdlog/spdlog.h>

namespace depositd::crossref {

namespace {

http::response page_of_refusal(door_pointer self,
                               const accounts::login_refusal& x) {
  switch (x.fault) {
    case accounts::login_fault::none_given:
      return no_login_page();
    case accounts::login_fault::wrong:
      return wrong_credentials_page();
    case accounts::login_fault::limited:
      return later_page(60, "Too many failed logins. Try again later.");
    case accounts::login_fault::busy:
      return http::unavailable(1);
    case accounts::login_fault::failed:
      break;
  }
  return page_of(self, x.why);
}

} // namespace

void with_login(door_pointer self, const credentials& who,
                const std::string& peer, login_waiter then) {
  self->state.logins->enter(
    who, peer,
    {std::move(then.use),
     [=, refuse = std::move(then.refuse)](const accounts::login_refusal& x) {
       refuse(page_of_refusal(self, x));
     }});
}

door_actor::behavior_type door(actor_with<door_state>* self,
                               door_options options) {
  self->state.options = std::move(options);
  const auto& how = self->state.options;
  self->state.logins.emplace(accounts::login_desk_options{
    .check = accounts::asking(self, how.logins, how.ask_timeout),
    .waiting_max = how.waiting_max,
    .per_address_max = how.logins_per_address_max});
  self->state.asked.emplace(
    self->home_system(),
    kit::gateway::options{.patience = accounts::answer_patience});
  self->state.rounds.emplace(how.at_work_max);
  follow_control(self, self->state.options.shard,
                 {.patience = self->state.options.ask_timeout});
  return {
    [=](const deposit_request& x) { take_deposit(self, x); },
    [=](const deposit_begun& x) { look_ahead(self, x); },
    [=](const status_request& x) { take_status(self, x); },
    [=](const control_changed& x) {
      self->state.logins->take_accounts(x.state);
    },
    [=](const control_unknown& x) {
      // Without accounts nobody can log in.
      self->state.logins->refuse_early();
      spdlog::warn("door_has_no_accounts reason=\"{}\"", render(x.why));
    },
  };
}

} // namespace depositd::crossref
