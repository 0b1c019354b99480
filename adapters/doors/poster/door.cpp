#include "adapters/doors/poster/door.hpp"

#include "adapters/doors/poster/parts.hpp"

#include <spdlog/spdlog.h>

#include <utility>

namespace depositd::poster {

void with_login(door_pointer self, const accounts::credentials& who,
                const std::string& peer, login_waiter then) {
  self->state.logins->enter(
    who, peer,
    {std::move(then.use),
     [=, refuse = std::move(then.refuse)](const accounts::login_refusal& x) {
       refuse(refused_login(x, self->state.options.retry_after_s));
     }});
}

bool within_quota(door_pointer self, const std::string& pipeline,
                  const std::string& user) {
  const auto& state = self->state;
  return state.options.quotas->take(*state.logins->control(),
                                    stage_queue_name(pipeline, split_stage),
                                    user, self->clock().now());
}

http::response over_quota() {
  return later(1, "As many requests as the quota allows. Try again later.");
}

door_actor::behavior_type door(actor_with<door_state>* self,
                               door_options options) {
  self->state.options = std::move(options);
  const auto& how = self->state.options;
  self->state.logins.emplace(accounts::login_desk_options{
    .check = accounts::asking(self, how.logins, how.ask_timeout)});
  follow_control(self, how.shard, {.patience = how.ask_timeout});
  return {
    [=](const submit_request& x) { take_submission(self, x); },
    [=](const submit_begun& x) { look_ahead(self, x); },
    [=](const document_request& x) { find_document(self, x); },
    [=](const order_request& x) { take_order(self, x); },
    [=](const control_changed& x) {
      self->state.logins->take_accounts(x.state);
    },
    [=](const control_unknown& x) {
      // Without accounts nobody can log in.
      self->state.logins->refuse_early();
      spdlog::warn("poster_has_no_accounts reason=\"{}\"", render(x.why));
    },
  };
}

} // namespace depositd::poster
