#pragma once

// The listening socket.

#include "messages/values/endpoint.hpp"
#include "messages/values/errors.hpp"

#include <cstdint>
#include <string>

namespace depositd::http {

/// A socket that listens, and where.
struct listener {
  int socket = -1; ///< owned by whoever takes it
  std::uint16_t port = 0;
  std::string address; ///< host:port, the port actually taken
};

/// Listens there. `ec::bad_setting` otherwise, with a text that names the
/// address.
caf::expected<listener> listen_at(const endpoint& where);

/// How many connections may be served when so many are wanted: leaves half of
/// the files that may still be opened to the rest of the program.
std::uint32_t connections_possible(std::uint32_t wanted);

} // namespace depositd::http
