#pragma once

// Calls from handler threads to the engine that this node works for, whichever
// that is at the moment.

#include "messages/actors.hpp"

#include <caf/actor_system.hpp>

#include <chrono>
#include <memory>
#include <string>

namespace depositd::node {

struct effect_line_options {
  std::chrono::milliseconds call_timeout{30'000};
  /// How long a call waits for an engine, in all. Longer than a restart takes,
  /// shorter than a handler may work on one item.
  std::chrono::milliseconds patience{300'000};
  /// Between two attempts at an engine that does not answer.
  std::chrono::milliseconds pause{1'000};
};

/// Makes calls again at the next engine if the one that was asked goes away:
/// each of them is idempotent. Safe to use from any thread.
class effect_line {
public:
  explicit effect_line(caf::actor_system& system,
                       const effect_line_options& options = {});
  ~effect_line();

  effect_line(const effect_line&) = delete;
  effect_line& operator=(const effect_line&) = delete;

  /// Calls go here from now on, also those that wait for an answer.
  void connect(const effects_actor& engine);

  /// The engine is gone: calls wait for the next one.
  void disconnect();

  /// No call will succeed any more; those that wait fail at once.
  void close();

  /// Blocks. An `ec` of the engine, `ec::draining` after `close`,
  /// `ec::overloaded` if no engine answered in time.
  caf::expected<std::string> call(const std::string& what,
                                  const std::string& arguments);

private:
  struct core;

  caf::actor_system& system_;
  effect_line_options options_;
  std::shared_ptr<core> core_;
};

} // namespace depositd::node
