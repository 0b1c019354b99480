#pragma once

// Calls to the servers that collections name, through the guard of what is
// fetched.

#include "adapters/fetching/guarded_request.hpp"
#include "messages/ports/notifiers.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>

namespace depositd {

struct web_callback_options {
  std::chrono::milliseconds time_limit{300'000}; ///< for one call
  std::string ca_file;                           ///< empty: the system's
  /// Seconds since 1970 for the signature; null: the system's clock.
  std::function<std::int64_t()> now;
  /// For rests that receivers ask for; null: the steady clock.
  std::function<std::chrono::steady_clock::time_point()> steady_now;
  /// Breaks a call off, as `web_limits::stopped` does.
  std::function<bool()> stopped;
};

/// POSTs JSON, or nothing but headers. 2xx is accepted; 4xx but 408, 425 and
/// 429, and addresses that the guard refuses, are `ec::invalid_argument`; all
/// else, redirects too, is `ec::overloaded`. What is behind the first line of
/// an answer says nothing, and need not end. Texts of errors name the host and
/// nothing else of the URL. Whoever says with 429, 503 or any other refusal
/// when to come again (`Retry-After`) is not called before that, for an hour at
/// most, whoever the call is for. The guard outlives it.
std::unique_ptr<callback_sender>
make_web_callbacks(const address_guard& guard, web_callback_options options);

} // namespace depositd
