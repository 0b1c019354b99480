#pragma once

// Asks whoever owns a shard, now or soon. `Self`: an actor whose state has a
// `forwarding` as `to` and says as `owner` what it forwards to.

#include "actors/cluster/forwarding.hpp"
#include "messages/ask.hpp"

#include <caf/actor_clock.hpp>
#include <caf/delegated.hpp>

#include <memory>
#include <type_traits>
#include <utility>

namespace depositd::cluster {

/// Waits for an owner, and for its answer, as long as the options say.
template <class Answer, class Self, class Request>
shard_question question_for(Self* self, shard_number shard, Request what,
                            repeats may) {
  using owner = typename std::remove_reference_t<decltype(self->state)>::owner;
  static_assert(std::is_same_v<answer_to<owner, Request>, Answer>);
  return self->state.to.question(
    shard, caf::make_message(std::move(what)), may,
    requires { Request::takes_long; });
}

/// Asks the owner of a shard, as soon as there is one before `until`; `then`
/// gets the answer.
template <class Answer, class Self, class Request>
void ask_shard_until(Self* self, shard_number shard, Request what, repeats may,
                     caf::actor_clock::time_point until,
                     answer_use<Answer> then) {
  auto out = question_for<Answer>(self, shard, std::move(what), may);
  out.until = until;
  out.asking = std::make_unique<asker_of<Answer>>(std::move(then));
  self->state.to.ask(std::move(out));
}

/// The same, and waits as long as the options say.
template <class Answer, class Self, class Request>
void ask_shard(Self* self, shard_number shard, Request what, repeats may,
               answer_use<Answer> then) {
  auto out = question_for<Answer>(self, shard, std::move(what), may);
  out.asking = std::make_unique<asker_of<Answer>>(std::move(then));
  self->state.to.ask(std::move(out));
}

/// Forwards the request that is being handled; the owner answers it.
template <class Answer, class Self, class Request>
caf::delegated<Answer> forward(Self* self, shard_number shard, Request& what,
                               repeats may) {
  self->state.to.forward(
    question_for<Answer>(self, shard, std::move(what), may),
    self->make_response_promise());
  return {};
}

} // namespace depositd::cluster
