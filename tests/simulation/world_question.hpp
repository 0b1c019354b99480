#pragma once

// Questions that have to be answered, or refused, whatever happens.

#include "tests/simulation/world.hpp"

#include <caf/sec.hpp>

#include <chrono>
#include <type_traits>

namespace depositd::simulation {

/// For answers of which it is enough that there is one.
inline void not_judged() {
  // nop
}

/// Longer than anything inside an engine waits for a part of an answer.
inline constexpr auto question_time = std::chrono::minutes{10};

template <class Answer, class Actor, class Request, class Then>
void world::question(const char* name, const Actor& whom, Request what,
                     Then then) {
  const auto number = ++questions_asked_;
  questions_[number] = {name, engines_lost()};
  caf::anon_send(
    outside_, act{[=, this](caf::event_based_actor* self) {
      const auto until = self->clock().now() + question_time;
      self->request(whom, question_time, what)
        .then(
          [=, this](const Answer& x) {
            questions_.erase(number);
            if constexpr (std::is_invocable_v<Then, const Answer&>)
              then(x);
            else
              then();
          },
          [=, this](const caf::error& e) {
            // Earlier than that it is what somebody inside has waited for.
            if (e == caf::sec::request_timeout && self->clock().now() >= until)
              miss(questions_.at(number));
            questions_.erase(number);
          });
    }});
}

} // namespace depositd::simulation
