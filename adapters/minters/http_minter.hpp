#pragma once

// Identifiers from a service that speaks EZID's API.

#include "messages/ports/minter.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>

namespace depositd {

struct http_minter_options {
  /// Of the shoulder: "https://HOST/shoulder/ark:/99999/fk4".
  std::string url;
  std::string user; ///< empty: no login
  std::string password;
  std::chrono::milliseconds time_limit{30'000}; ///< for one request
  std::uint32_t tries = 3;
  std::chrono::milliseconds retry_delay{5'000};
  /// Asked about once a second; true ends a request, and there is no other.
  /// Null: nobody does.
  std::function<bool()> stopped;
};

/// The service is the operator's choice: no guard is between. It has no keys,
/// so an answer that is lost is an identifier that nobody uses.
std::unique_ptr<minter> make_http_minter(http_minter_options options);

/// Why the service as a whole cannot be asked; none: it answers, whatever that
/// is. A HEAD, which mints nothing; blocks for ten seconds at most.
caf::error look_for_http_minter(const http_minter_options& options);

} // namespace depositd
