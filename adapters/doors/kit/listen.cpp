#include "adapters/doors/kit/listen.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

namespace depositd::kit {

namespace {

caf::error bad(const endpoint& where, const std::string& why) {
  return caf::make_error(ec::bad_setting,
                         "cannot listen at " + to_string(where) + ": " + why);
}

std::uint16_t port_of(int socket) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  if (getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size) != 0)
    return 0;
  if (address.ss_family == AF_INET6)
    return ntohs(reinterpret_cast<sockaddr_in6*>(&address)->sin6_port);
  return ntohs(reinterpret_cast<sockaddr_in*>(&address)->sin_port);
}

int open_socket(const addrinfo& at) {
  const int fd =
    socket(at.ai_family, at.ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK,
           at.ai_protocol);
  if (fd < 0)
    return -1;
  const int on = 1;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (bind(fd, at.ai_addr, at.ai_addrlen) == 0 && listen(fd, SOMAXCONN) == 0)
    return fd;
  const int error = errno;
  close(fd);
  errno = error;
  return -1;
}

} // namespace

caf::expected<listener> listen_at(const endpoint& where) {
  const auto port = std::to_string(where.port);
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE;
  addrinfo* found = nullptr;
  const int code =
    getaddrinfo(where.host.c_str(), port.c_str(), &hints, &found);
  if (code != 0)
    return bad(where, gai_strerror(code));
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> all{found,
                                                               freeaddrinfo};
  const int fd = open_socket(*found);
  if (fd < 0)
    return bad(where, std::strerror(errno));
  listener out;
  out.socket = fd;
  out.port = port_of(fd);
  out.address = to_string(endpoint{where.host, out.port});
  return out;
}

std::uint32_t connections_possible(std::uint32_t wanted) {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
    return wanted;
  const std::uint64_t spare = limit.rlim_cur > descriptors_held_back
                                ? limit.rlim_cur - descriptors_held_back
                                : 0;
  return static_cast<std::uint32_t>(
    std::clamp<std::uint64_t>(spare / 2, 4, std::max(wanted, 4U)));
}

std::string numeric_address(const sockaddr* from) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (!from)
    return {};
  const void* address =
    from->sa_family == AF_INET6
      ? static_cast<const void*>(
        &reinterpret_cast<const sockaddr_in6*>(from)->sin6_addr)
      : &reinterpret_cast<const sockaddr_in*>(from)->sin_addr;
  if (!inet_ntop(from->sa_family, address, text.data(), text.size()))
    return {};
  return text.data();
}

} // namespace depositd::kit
