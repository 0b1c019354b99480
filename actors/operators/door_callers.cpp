// Operators whom doors of this process speak for.

#include "actors/operators/calls.hpp"

#include "actors/rules/control/operators.hpp"
#include "messages/senders.hpp"
#include "messages/shard.hpp"
#include "messages/values/words.hpp"

namespace depositd::operators {

namespace access = rules::access;

caf::error check_door(admin_pointer self, const caf::strong_actor_ptr& sender,
                      const char* what) {
  if (is_of_this_process(self, sender))
    return caf::none;
  auto out = refuse(ec::not_allowed,
                    std::string{what} + " is for doors of the engine itself");
  log_refusal(self, {.who = "somebody unknown"}, what, out);
  return out;
}

void with_operator_at_door(
  admin_pointer self, const caf::strong_actor_ptr& sender, const command_as& x,
  std::function<void(const caf::expected<caller>&)> use) {
  if (auto wrong = check_door(self, sender, "command_as"))
    return use(wrong);
  self
    ->request(self->state.options.shard, self->state.options.timeout,
              watch_control{nullptr})
    .then(
      [=, name = x.operator_name, from = x.from,
       proof = x.proof](const control_changed& now) {
        const auto at = now.state->operators.find(name);
        if (at == now.state->operators.end())
          return use(refuse(ec::wrong_credentials,
                            "this operator is not in the register any more"));
        const auto time = self->state.options.clock.at(self->clock().now());
        if (auto wrong
            = rules::check_proof(*now.state, at->second, proof, time))
          return use(wrong);
        use(access::logged_in_caller(at->second, from));
      },
      [=](const caf::error& why) { use(why); });
}

caf::result<logged_in> know_holder(admin_pointer self, const know_token& x) {
  if (auto wrong = check_door(self, self->current_sender(), "know_token"))
    return wrong;
  auto answer = self->make_response_promise<logged_in>();
  self
    ->request(self->state.options.shard, self->state.options.timeout,
              watch_control{nullptr})
    .then(
      [=, digest = x.digest](const control_changed& control) mutable {
        const auto now = self->state.options.clock.at(self->clock().now());
        if (const auto* as =
              rules::holder_of_token(*control.state, digest, now))
          answer.deliver(logged_in{as->name, word(as->role),
                                   rules::proof_of_token(digest)});
        else
          answer.deliver(refuse(ec::wrong_credentials,
                                "nobody has this token, or it has expired"));
      },
      [=](const caf::error& why) mutable { answer.deliver(why); });
  return answer;
}

} // namespace depositd::operators
