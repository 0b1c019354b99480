#pragma once

// HOST:PORT as people write it.

#include "messages/values/errors.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace depositd {

/// Where to listen or connect. IPv6 addresses are kept without brackets.
struct endpoint {
  std::string host;
  std::uint16_t port = 0; ///< 0: any free port (listening only)

  friend bool operator==(const endpoint&, const endpoint&) = default;
};

/// Reads "127.0.0.1:80", "localhost:80", "[::1]:0". `ec::invalid_argument`
/// says what is wrong.
caf::expected<endpoint> parse_endpoint(std::string_view text);

/// The form that `parse_endpoint` reads.
std::string to_string(const endpoint& x);

/// Whether only this machine can reach it: 127.0.0.0/8, ::1 or "localhost".
bool is_loopback(const endpoint& x);

} // namespace depositd
