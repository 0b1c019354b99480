#pragma once

// The link over CAF's middleman. Never waits without end: not for an engine
// that hangs, nor for one that is stopped or gone.

#include "adapters/shell/engine_link.hpp"

#include "messages/values/endpoint.hpp"

#include <optional>
#include <string>

namespace depositd::shell {

/// Files in PEM form; all three or none.
struct link_files {
  std::string certificate;
  std::string key;
  std::string ca;
};

/// An operator's name and password, where the connection itself does not say
/// who it is.
struct operator_token {
  std::string name;
  std::string password;
};

struct connection_options {
  endpoint engine;
  link_files tls;
  std::optional<operator_token> token; ///< to sign in with
  std::chrono::milliseconds connect_within{5'000};
};

/// Checks once in a while whether waiting makes sense; true ends it.
using interrupted = std::function<bool()>;

/// Connects to an engine and signs in, if there is a token; the engine may
/// refuse that (an `ec`). What cannot be closed without waiting stays open
/// until the program ends, so end it with `_exit`.
caf::expected<std::unique_ptr<engine_link>>
connect(const connection_options& options, const interrupted& stop = nullptr);

} // namespace depositd::shell
