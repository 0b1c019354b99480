#pragma once

// Requests whose answers come as one value or an error. CAF's `request` and
// `then` make some fifty functions of each asker, question and two handlers,
// this makes four of each type of answer (docs/decisions/0058).

#include "messages/message.hpp"

#include <caf/actor_cast.hpp>
#include <caf/actor_control_block.hpp>
#include <caf/duration.hpp>
#include <caf/error.hpp>
#include <caf/expected.hpp>
#include <caf/make_message.hpp>
#include <caf/sec.hpp>
#include <caf/type_erased_tuple.hpp>
#include <caf/typed_actor.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <utility>

namespace caf {
class scheduled_actor;
} // namespace caf

namespace depositd {

/// How long somebody waits for an answer.
class answer_wait {
public:
  template <class Rep, class Period>
  answer_wait(std::chrono::duration<Rep, Period> x) : limit_(x) {
  }

  /// For ever; who is asked answers or ends.
  answer_wait(caf::infinite_t) {
  }

  const caf::duration& limit() const {
    return limit_;
  }

private:
  caf::duration limit_;
};

/// Whoever waits for an answer. One of both is called, once.
class asker {
public:
  virtual ~asker() = default;
  /// Of the type that was expected, or not.
  virtual void take(caf::type_erased_tuple& answer) = 0;
  virtual void fail(const caf::error& why) = 0;
};

using asker_ptr = std::unique_ptr<asker>;

template <class Answer>
using answer_use = std::function<void(caf::expected<Answer>)>;

template <class Answer>
class asker_of final : public asker {
public:
  explicit asker_of(answer_use<Answer> then) : then_(std::move(then)) {
  }

  void take(caf::type_erased_tuple& x) override {
    if (x.match_elements<Answer>())
      then_(x.move_if_unshared<Answer>(0));
    else
      then_(caf::make_error(caf::sec::unexpected_response));
  }

  void fail(const caf::error& why) override {
    then_(why);
  }

private:
  answer_use<Answer> then_;
};

/// Asks `whom`; `asking` gets the answer in the turn of `self`. Too late it is
/// `caf::sec::request_timeout`, without anybody to ask
/// `caf::sec::invalid_argument`.
void ask_whole(caf::scheduled_actor* self, const caf::strong_actor_ptr& whom,
               answer_wait within, caf::message what,
               asker_ptr asking);

namespace asking_parts {

template <class... Signatures>
struct all_of : Signatures... {};

template <class... Signatures>
all_of<Signatures...>* offered(caf::detail::type_list<Signatures...>);

template <class Request, class Answer>
Answer answered(caf::typed_mpi<caf::detail::type_list<Request>,
                               caf::output_tuple<Answer>>*);

} // namespace asking_parts

/// What such actors answer that question with. Does not compile if they have no
/// answer; quicker than CAF's `response_type`, which looks at each of them.
template <class Handle, class Request>
using answer_to = decltype(asking_parts::answered<Request>(
  asking_parts::offered(typename Handle::signatures{})));

/// `then` gets the answer or the error, in the turn of `self`.
template <class Handle, class Request>
void ask(caf::scheduled_actor* self, const Handle& whom,
         answer_wait within, Request what,
         answer_use<answer_to<Handle, Request>> then) {
  ask_whole(
    self, caf::actor_cast<caf::strong_actor_ptr>(whom), within,
    caf::make_message(std::move(what)),
    std::make_unique<asker_of<answer_to<Handle, Request>>>(std::move(then)));
}

} // namespace depositd
