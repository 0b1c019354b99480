#pragma once

// Answers to several requests on their way to one.

#include "messages/ask.hpp"

#include <caf/error.hpp>
#include <caf/expected.hpp>
#include <caf/make_message.hpp>
#include <caf/result.hpp>
#include <caf/typed_response_promise.hpp>

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <utility>

namespace depositd::journal {

/// Answers the request that is being handled with whatever comes to what
/// `begin` is given, a function that takes the answer or an error.
template <class Answer, class Self, class Begin>
caf::result<Answer> answer_later(Self* self, Begin begin) {
  auto promise = self->template make_response_promise<Answer>();
  begin([promise](caf::expected<Answer> x) mutable {
    if (x)
      promise.deliver(std::move(*x));
    else
      promise.deliver(std::move(x.error()));
  });
  return promise;
}

/// For answers, or errors, of which it only counts that they have come.
inline constexpr auto only_counts = [](auto&, auto&&) {};

/// Of those that are asked in turn. CAF keeps who waits for which answer in one
/// list that it moves up with each answer, and whoever else asks the asker, or
/// has something to run, waits behind all of them.
inline constexpr std::size_t asked_at_once = 200;

/// What is gathered; copies are one and the same. Complete when everything that
/// was expected has come, which `close` allows. The first error wins, unless an
/// error was expected too.
template <class Result>
class gathering {
public:
  using use = std::function<void(caf::expected<Result>)>;

  explicit gathering(use then, Result begin = {})
    : state_(std::make_shared<state>()) {
    state_->then = std::move(then);
    state_->result = std::move(begin);
  }

  Result& result() const {
    return state_->result;
  }

  /// Expects one more answer: what this returns must be called with it, once.
  /// `take` and `otherwise` get the result and what has come.
  template <class Answer, class Take, class Otherwise>
  auto expect(Take take, Otherwise otherwise) const {
    ++state_->open;
    return [all = state_, take, otherwise](caf::expected<Answer> x) {
      if (x)
        take(all->result, *x);
      else
        otherwise(all->result, x.error());
      all->arrived();
    };
  }

  /// The same; an error becomes the answer to all.
  template <class Answer, class Take>
  auto expect(Take take) const {
    const auto fail = [all = state_](Result&, const caf::error& why) {
      if (!all->failure)
        all->failure = why;
    };
    return expect<Answer>(std::move(take), fail);
  }

  /// Asks somebody; `take`, and `otherwise` if errors are no failure.
  template <class Answer, class Whom, class Request, class... Takes>
  void ask(caf::scheduled_actor* self, const Whom& whom, answer_wait within,
           Request what, Takes... takes) const {
    depositd::ask(self, whom, within, std::move(what),
                  expect<Answer>(std::move(takes)...));
  }

  /// The same where there may be very many to ask: only so many of them have
  /// not answered yet at any time, the others are asked as answers come. What
  /// `takes` hold must not hold this.
  template <class Answer, class Whom, class Request, class... Takes>
  void ask_in_turn(caf::scheduled_actor* self, const Whom& whom,
                   answer_wait within, const Request& what,
                   const Takes&... takes) const {
    state_->waiting.push_back([=](const gathering& all) {
      auto take = all.template expect<Answer>(takes...);
      depositd::ask(self, whom, within, what,
                    [all, take](caf::expected<Answer> x) {
                      --all.state_->asked;
                      all.ask_next();
                      take(std::move(x));
                    });
    });
    ask_next();
  }

  /// Nothing more is asked.
  void close() const {
    state_->arrived();
  }

private:
  struct state {
    use then;
    Result result;
    caf::error failure;
    std::size_t open = 1;  ///< one for whoever still asks
    std::size_t asked = 0; ///< in turn, and have not answered
    /// Hold no state: this would hold itself once nobody answers any more.
    std::deque<std::function<void(const gathering&)>> waiting;

    void arrived() {
      if (--open > 0)
        return;
      if (failure)
        then(std::move(failure));
      else
        then(std::move(result));
    }
  };

  void ask_next() const {
    if (state_->waiting.empty() || state_->asked >= asked_at_once)
      return;
    const auto one = std::move(state_->waiting.front());
    state_->waiting.pop_front();
    ++state_->asked;
    one(*this);
  }

  std::shared_ptr<state> state_;
};

/// Answers the request that is being handled with what `ask` gathers.
template <class Result, class Self, class Ask>
caf::result<Result> gather(Self* self, Ask ask, Result begin = {}) {
  return answer_later<Result>(self, [&](auto then) {
    const gathering<Result> all{std::move(then), std::move(begin)};
    ask(all);
    all.close();
  });
}

} // namespace depositd::journal
