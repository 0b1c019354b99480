#pragma once

// Asks actors from threads that are none: the request goes straight into the
// actor's mailbox, and the answer is taken in the thread of whoever gives it.
// So a request of a client costs no hop through an actor of the door.

#include "messages/values/errors.hpp"

#include <caf/actor_cast.hpp>
#include <caf/actor_system.hpp>
#include <caf/mailbox_element.hpp>
#include <caf/type_erased_tuple.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

namespace depositd::kit {

/// What an actor has answered.
class core_answer {
public:
  explicit core_answer(caf::type_erased_tuple& content) : content_(content) {
    // nop
  }

  /// The answer itself, which may be moved from; null if it is another.
  template <class T>
  T* as() {
    return content_.match_elements<T>() ? &content_.get_mutable_as<T>(0)
                                        : nullptr;
  }

  /// Why there is no answer of the type that was asked for.
  caf::error why() {
    if (auto* error = as<caf::error>())
      return *error;
    return caf::make_error(ec::store_failed, "an unknown answer");
  }

private:
  caf::type_erased_tuple& content_;
};

/// Takes one answer, in any thread. Must not block.
class answer_taker {
public:
  virtual ~answer_taker() = default;
  virtual void take(core_answer what) = 0;
};

template <class F>
class taker_of : public answer_taker {
public:
  explicit taker_of(F then) : then_(std::move(then)) {
    // nop
  }

  void take(core_answer what) override {
    then_(what);
  }

private:
  F then_;
};

class gateway {
public:
  struct options {
    std::size_t outstanding_max = 20'000; ///< see `full`
    /// After it an answer is no longer waited for, and is ignored if it comes.
    /// Its taker is dropped with the next question, or by `drop_late`.
    std::chrono::milliseconds patience{10'000};
    /// The same for messages that say of themselves that they take long.
    std::chrono::milliseconds long_patience{1'200'000};
    /// Takes what is no answer to any request.
    std::function<void(core_answer)> news;
  };

  gateway(caf::actor_system& system, options how);
  ~gateway();

  /// Whether so many requests wait that nobody should ask more.
  bool full() const;

  /// Sends `what` to the actor and its answer to `then`, perhaps before this
  /// returns. `then` is dropped if no answer comes in time.
  ///
  /// `held` is what the message takes of a budget. Memory does not come back
  /// with a client's patience: it is kept until the answer comes, even to
  /// nobody, or until the long patience is over too.
  template <class Actor, class Message, class F>
  void ask(const Actor& whom, Message what, F then,
           std::shared_ptr<const void> held = nullptr) {
    const auto id = remember(
      std::make_unique<taker_of<F>>(std::move(then)),
      requires { Message::takes_long; }, std::move(held));
    if (id != 0)
      send(caf::actor_cast<caf::strong_actor_ptr>(whom),
           caf::make_mailbox_element(self_, caf::make_message_id(id), {},
                                     std::move(what)));
  }

  /// Drops the takers of answers that have not come in time. Where a client
  /// waits for its taker's end, to be called now and then.
  void drop_late();

  /// Who is told news.
  const caf::strong_actor_ptr& self() const {
    return self_;
  }

  /// Takes no more answers.
  void close();

private:
  struct waiting;

  /// 0 once closed.
  std::uint64_t remember(std::unique_ptr<answer_taker> then, bool takes_long,
                         std::shared_ptr<const void> held);
  static void send(const caf::strong_actor_ptr& whom,
                   caf::mailbox_element_ptr what);

  std::shared_ptr<waiting> waiting_;
  caf::strong_actor_ptr self_;
};

} // namespace depositd::kit
