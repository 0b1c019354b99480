#pragma once

// How the shell reaches an engine.

#include "messages/values/errors.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <string>

namespace depositd::shell {

/// A connection to one engine's admin actor.
class engine_link {
public:
  virtual ~engine_link() = default;

  /// The document, or the engine's refusal (an `ec`), or any other error if no
  /// answer came: then the link is of no more use. `sec::request_timeout` if
  /// none came in time or nobody waits any longer.
  virtual caf::expected<std::string> ask(const std::string& command,
                                         const std::string& arguments,
                                         std::chrono::seconds within) = 0;
};

/// Whether the engine itself said no.
inline bool is_refusal(const caf::error& x) {
  return x.category() == caf::atom("depositd");
}

/// Connects; fails with an error that is no refusal.
using link_factory =
  std::function<caf::expected<std::unique_ptr<engine_link>>()>;

} // namespace depositd::shell
