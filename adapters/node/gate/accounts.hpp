#pragma once

// Whose process is at the other end of a connection on this machine. The
// kernel knows; the other end is not asked.

#include <cstdint>
#include <optional>

struct sockaddr_storage;

namespace depositd::gate {

/// The user id of the socket that is connected to this one. Nothing: it is on
/// another machine, has been closed already, or the kernel does not tell.
std::optional<std::uint32_t> account_behind(int socket);

/// The same by the addresses of this end and of the other, as text of
/// /proc/net/tcp and tcp6 in place of a question to the kernel. For machines
/// that do not let us ask, and for tests.
std::optional<std::uint32_t> account_in_proc(const sockaddr_storage& own,
                                             const sockaddr_storage& other);

} // namespace depositd::gate
