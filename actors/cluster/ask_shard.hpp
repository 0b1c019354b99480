#pragma once

// Asks whoever owns a shard, now or soon.

#include "actors/cluster/forwarding.hpp"
#include "actors/journal/gather.hpp"
#include "messages/ask.hpp"

#include <caf/actor_clock.hpp>
#include <caf/result.hpp>

#include <chrono>
#include <memory>
#include <type_traits>
#include <utility>

namespace depositd::cluster {

/// What the owner of a shard is asked as soon as there is one.
struct shard_question {
  shard_number shard = 0;
  caf::message what;
  repeats may = repeats::never;
  caf::actor_clock::time_point until;
  answer_wait within{caf::infinite};
  asker_ptr asking;
};

template <class Self>
void ask_owner(Self* self, std::shared_ptr<const shard_question> question);

/// Somebody has an answer, or is gone.
template <class Self>
class owner_asked final : public asker {
public:
  owner_asked(Self* self, std::shared_ptr<const shard_question> question,
              std::uint64_t number)
    : self_(self), question_(std::move(question)), number_(number) {
  }

  void take(caf::type_erased_tuple& answer) override {
    if (self_->state.to.open.erase(number_) > 0)
      question_->asking->take(answer);
  }

  void fail(const caf::error& why) override {
    auto& open = self_->state.to.open;
    const auto at = open.find(number_);
    if (at == open.end())
      return;
    const auto failed = std::move(at->second.fail);
    open.erase(at);
    if (turned_away(why) || why == ec::fenced)
      failed(why);
    else
      question_->asking->fail(why);
  }

private:
  Self* self_; ///< whose handlers call this
  std::shared_ptr<const shard_question> question_;
  std::uint64_t number_;
};

/// The same again, when there is an owner.
template <class Self>
auto ask_when_placed(Self* self,
                     std::shared_ptr<const shard_question> question) {
  return [=](const caf::error& why) {
    if (why)
      question->asking->fail(why);
    else
      ask_owner(self, question);
  };
}

/// Whom it was sent to will not answer.
template <class Self>
void owner_failed(Self* self, std::shared_ptr<const shard_question> question,
                  const caf::actor_addr& owner, const caf::error& why) {
  const auto repeat = turned_away(why)
                      || (question->may == repeats::harmless
                          && why != caf::sec::request_timeout);
  if (!repeat || self->clock().now() >= question->until) {
    question->asking->fail(why);
    return;
  }
  auto& to = self->state.to;
  auto& at = to.places[question->shard];
  if (at.who && at.who.address() == owner) {
    at.who = nullptr; // it will not be the owner for long
    to.options.lost();
  }
  if (at.who)
    ask_owner(self, question);
  else
    to.held[question->shard].push_back(
      {question->until, ask_when_placed(self, question), owner});
}

template <class Self>
void ask_owner(Self* self, std::shared_ptr<const shard_question> question) {
  auto& to = self->state.to;
  const auto owner = to.places[question->shard].who;
  if (!owner) {
    to.held[question->shard].push_back(
      {question->until, ask_when_placed(self, question), nullptr});
    return;
  }
  const auto number = ++to.open_last;
  typename std::remove_reference_t<decltype(to)>::sent entry;
  entry.shard = question->shard;
  entry.whom = owner.address();
  entry.may_repeat = question->may == repeats::harmless;
  entry.fail = [=, whom = entry.whom](const caf::error& why) {
    owner_failed(self, question, whom, why);
  };
  to.open.emplace(number, std::move(entry));
  ask_whole(self, caf::actor_cast<caf::strong_actor_ptr>(owner),
            question->within, question->what,
            std::make_unique<owner_asked<Self>>(self, question, number));
}

/// Asks the owner of a shard, as soon as there is one before `until`; `then`
/// gets the answer.
template <class Answer, class Self, class Request>
void ask_shard_until(Self* self, shard_number shard, Request what, repeats may,
                     caf::actor_clock::time_point until,
                     answer_use<Answer> then) {
  using owner = decltype(self->state.to.places[shard].who);
  static_assert(std::is_same_v<answer_to<owner, Request>, Answer>);
  const auto& options = self->state.to.options;
  auto out = std::make_shared<shard_question>();
  out->shard = shard;
  out->what = caf::make_message(std::move(what));
  out->may = may;
  out->until = until;
  out->within = options.request_timeout;
  if constexpr (requires { Request::takes_long; })
    out->within = options.bulk_timeout;
  out->asking = std::make_unique<asker_of<Answer>>(std::move(then));
  ask_owner(self, std::shared_ptr<const shard_question>{std::move(out)});
}

/// The same, and waits as long as the options say.
template <class Answer, class Self, class Request>
void ask_shard(Self* self, shard_number shard, Request what, repeats may,
               answer_use<Answer> then) {
  ask_shard_until<Answer>(
    self, shard, std::move(what), may,
    self->clock().now() + self->state.to.options.owner_wait, std::move(then));
}

/// Forwards the request that is being handled; the owner answers it.
template <class Answer, class Self, class Request>
caf::result<Answer> forward(Self* self, shard_number shard, Request& what,
                            repeats may) {
  const auto& at = self->state.to.places[shard];
  if (at.who && at.here)
    return self->delegate(at.who, std::move(what));
  return journal::answer_later<Answer>(self, [&](auto then) {
    ask_shard<Answer>(self, shard, std::move(what), may, then);
  });
}

} // namespace depositd::cluster
