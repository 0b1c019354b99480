#include "adapters/node/gate/accounts.hpp"

#include <array>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>

#include <arpa/inet.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

namespace depositd::gate {

namespace {

/// One end of a connection, in network order. An IPv4 address stays one when
/// it comes inside an IPv6 one: the client's socket knows nothing of that.
struct end {
  int family = AF_UNSPEC;
  std::array<std::uint32_t, 4> address{};
  std::uint16_t port = 0;
};

end end_of(const sockaddr_storage& from) {
  end out;
  if (from.ss_family == AF_INET) {
    const auto& x = reinterpret_cast<const sockaddr_in&>(from);
    out.family = AF_INET;
    out.address[0] = x.sin_addr.s_addr;
    out.port = x.sin_port;
  } else if (from.ss_family == AF_INET6) {
    const auto& x = reinterpret_cast<const sockaddr_in6&>(from);
    out.port = x.sin6_port;
    if (IN6_IS_ADDR_V4MAPPED(&x.sin6_addr)) {
      out.family = AF_INET;
      std::memcpy(out.address.data(), x.sin6_addr.s6_addr + 12, 4);
    } else {
      out.family = AF_INET6;
      std::memcpy(out.address.data(), x.sin6_addr.s6_addr, 16);
    }
  }
  return out;
}

bool on_loopback(const end& x) {
  if (x.family == AF_INET)
    return (ntohl(x.address[0]) >> 24) == 127;
  in6_addr v6{};
  std::memcpy(v6.s6_addr, x.address.data(), 16);
  return x.family == AF_INET6 && IN6_IS_ADDR_LOOPBACK(&v6);
}

struct question {
  nlmsghdr head{};
  inet_diag_req_v2 body{};
};

/// For the socket of `other`, whose own end that is.
question ask_for(const end& own, const end& other) {
  question out;
  out.head.nlmsg_len = sizeof out;
  out.head.nlmsg_type = SOCK_DIAG_BY_FAMILY;
  out.head.nlmsg_flags = NLM_F_REQUEST;
  out.body.sdiag_family = static_cast<std::uint8_t>(other.family);
  out.body.sdiag_protocol = IPPROTO_TCP;
  out.body.idiag_states = 1u << TCP_ESTABLISHED;
  auto& id = out.body.id;
  id.idiag_sport = other.port;
  id.idiag_dport = own.port;
  std::memcpy(id.idiag_src, other.address.data(), sizeof id.idiag_src);
  std::memcpy(id.idiag_dst, own.address.data(), sizeof id.idiag_dst);
  id.idiag_cookie[0] = INET_DIAG_NOCOOKIE;
  id.idiag_cookie[1] = INET_DIAG_NOCOOKIE;
  return out;
}

enum class heard { answer, nobody, nothing };

/// A socket that was closed belongs to no file any more, and the kernel shows
/// it as root's: only one that is open on both ends says whose it is.
heard read_answer(const std::array<char, 4096>& bytes, ssize_t size,
                  const question& asked, std::uint32_t& out) {
  nlmsghdr head{};
  if (size < static_cast<ssize_t>(sizeof head))
    return heard::nothing;
  std::memcpy(&head, bytes.data(), sizeof head);
  if (head.nlmsg_type == NLMSG_ERROR) {
    nlmsgerr why{};
    if (size < static_cast<ssize_t>(NLMSG_HDRLEN + sizeof why))
      return heard::nothing;
    std::memcpy(&why, bytes.data() + NLMSG_HDRLEN, sizeof why);
    return why.error == -ENOENT ? heard::nobody : heard::nothing;
  }
  inet_diag_msg found{};
  if (head.nlmsg_type != SOCK_DIAG_BY_FAMILY
      || size < static_cast<ssize_t>(NLMSG_HDRLEN + sizeof found))
    return heard::nothing;
  std::memcpy(&found, bytes.data() + NLMSG_HDRLEN, sizeof found);
  const auto& id = asked.body.id;
  // Without such a connection the kernel finds whoever listens there.
  const bool same = found.id.idiag_sport == id.idiag_sport
                    && found.id.idiag_dport == id.idiag_dport;
  if (!same || found.idiag_state != TCP_ESTABLISHED || found.idiag_inode == 0)
    return heard::nobody;
  out = found.idiag_uid;
  return heard::answer;
}

heard ask_kernel(const end& own, const end& other, std::uint32_t& out) {
  const int fd =
    ::socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
  if (fd < 0)
    return heard::nothing;
  // It answers while it is asked; this is for one that does not.
  const timeval patience{0, 100'000};
  setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  const auto asked = ask_for(own, other);
  std::array<char, 4096> bytes{};
  auto result = heard::nothing;
  if (::send(fd, &asked, sizeof asked, 0) == sizeof asked)
    result =
      read_answer(bytes, ::recv(fd, bytes.data(), bytes.size(), 0), asked, out);
  ::close(fd);
  return result;
}

/// As in /proc/net/tcp: words of the address in the machine's order.
std::string proc_text(const end& x) {
  std::array<char, 64> text{};
  int at = 0;
  for (int i = 0; i < (x.family == AF_INET ? 1 : 4); ++i)
    at +=
      std::snprintf(text.data() + at, text.size() - at, "%08X", x.address[i]);
  std::snprintf(text.data() + at, text.size() - at, ":%04X", ntohs(x.port));
  return text.data();
}

std::optional<std::uint32_t> search_proc(const end& own, const end& other) {
  std::ifstream in{other.family == AF_INET ? "/proc/net/tcp"
                                           : "/proc/net/tcp6"};
  const auto wanted = proc_text(other);
  const auto peer = proc_text(own);
  std::string line;
  while (std::getline(in, line)) {
    std::istringstream words{line};
    std::string number, local, remote, state, queues, timer, retransmitted;
    std::uint32_t account = 0;
    std::uint64_t timeout = 0, inode = 0;
    if (words >> number >> local >> remote >> state >> queues >> timer
          >> retransmitted >> account >> timeout >> inode
        && local == wanted && remote == peer && state == "01" && inode != 0)
      return account;
  }
  return std::nullopt;
}

} // namespace

std::optional<std::uint32_t> account_in_proc(const sockaddr_storage& own,
                                             const sockaddr_storage& other) {
  return search_proc(end_of(own), end_of(other));
}

std::optional<std::uint32_t> account_behind(int socket) {
  sockaddr_storage own{}, other{};
  socklen_t size = sizeof own;
  if (getsockname(socket, reinterpret_cast<sockaddr*>(&own), &size) != 0)
    return std::nullopt;
  size = sizeof other;
  if (getpeername(socket, reinterpret_cast<sockaddr*>(&other), &size) != 0)
    return std::nullopt;
  const auto here = end_of(own), there = end_of(other);
  if (!on_loopback(here) || !on_loopback(there))
    return std::nullopt;
  std::uint32_t account = 0;
  switch (ask_kernel(here, there, account)) {
    case heard::answer:
      return account;
    case heard::nobody:
      return std::nullopt;
    case heard::nothing:
      break;
  }
  return search_proc(here, there);
}

} // namespace depositd::gate
