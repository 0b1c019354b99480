#pragma once

// Questions of handler threads to the stores of the engine that this node works
// for, whichever that is at the moment.

#include "messages/actors.hpp"
#include "messages/stores.hpp"

#include <caf/actor_system.hpp>
#include <caf/event_based_actor.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <utility>

namespace depositd::node {

struct store_line_options {
  std::chrono::milliseconds call_timeout{30'000};
  /// How long a question waits for an engine, in all. Longer than a restart
  /// takes, shorter than a handler may work on one item.
  std::chrono::milliseconds patience{300'000};
  /// Between two attempts at an engine that does not answer.
  std::chrono::milliseconds pause{1'000};
};

/// Asks again at the next engine if the one that was asked goes away: every
/// question is idempotent. Safe to use from any thread.
class store_line {
public:
  explicit store_line(caf::actor_system& system,
                      const store_line_options& options = {});
  ~store_line();

  store_line(const store_line&) = delete;
  store_line& operator=(const store_line&) = delete;

  /// Questions go here from now on, also those that wait for an answer.
  void connect(const store_server_actor& engine);

  /// The engine is gone: questions wait for the next one.
  void disconnect();

  /// No question will be answered any more; those that wait fail at once.
  void close();

  /// Blocks. An `ec` of the engine's store, `ec::draining` after `close`,
  /// `ec::overloaded` if no engine answered in time.
  template <class Answer, class Question>
  caf::expected<Answer> ask(Question question) {
    auto what = std::make_shared<const Question>(std::move(question));
    auto out = ask_any([what, within = options_.call_timeout](
                         caf::event_based_actor* self,
                         const store_server_actor& engine, const give& to) {
      self->request(engine, within, *what)
        .then([=](Answer& x) { to(caf::make_message(std::move(x))); },
              [=](caf::error& why) { to(std::move(why)); });
    });
    if (!out)
      return std::move(out.error());
    return std::move(out->template get_mutable_as<Answer>(0));
  }

private:
  struct core;
  using give = std::function<void(caf::expected<caf::message>)>;
  /// Asks once, from an actor of its own, and tells what came of it.
  using attempt =
    std::function<void(caf::event_based_actor* self,
                       const store_server_actor& engine, const give& to)>;

  caf::expected<caf::message> ask_any(const attempt& once);

  caf::actor_system& system_;
  store_line_options options_;
  std::shared_ptr<core> core_;
};

} // namespace depositd::node
