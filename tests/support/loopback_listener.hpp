#pragma once

// A socket that listens on loopback, on a port of the system's choice.

#include <cerrno>
#include <cstdint>
#include <system_error>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace depositd::testing {

inline sockaddr_in loopback_at(std::uint16_t port) {
  sockaddr_in out{};
  out.sin_family = AF_INET;
  out.sin_port = htons(port);
  out.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return out;
}

/// Throws `std::system_error` where the system gives none.
class loopback_listener {
public:
  loopback_listener()
    : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    auto at = loopback_at(0);
    auto* const there = reinterpret_cast<sockaddr*>(&at);
    socklen_t size = sizeof at;
    if (::bind(socket_, there, size) != 0 || ::listen(socket_, 64) != 0
        || ::getsockname(socket_, there, &size) != 0) {
      const auto why = errno;
      ::close(socket_);
      throw std::system_error(why, std::generic_category(), "cannot listen");
    }
    port_ = ntohs(at.sin_port);
  }

  loopback_listener(const loopback_listener&) = delete;
  loopback_listener& operator=(const loopback_listener&) = delete;

  ~loopback_listener() {
    ::close(socket_);
  }

  std::uint16_t port() const {
    return port_;
  }

  /// Ready to read when somebody has come.
  int socket() const {
    return socket_;
  }

  /// The next who has come; blocks until there is one. Negative: none.
  int accept() const {
    return ::accept(socket_, nullptr, nullptr);
  }

private:
  int socket_;
  std::uint16_t port_ = 0;
};

} // namespace depositd::testing
