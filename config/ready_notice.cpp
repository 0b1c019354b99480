#include "config/ready_notice.hpp"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace depositd {

namespace {

/// The start is timed by the service manager, which says itself what it misses.
void tell(const std::string& lines) {
  const auto* name = std::getenv("NOTIFY_SOCKET");
  if (name != nullptr)
    send_notice(name, lines);
}

/// A status is one line: what follows would be read as another variable.
std::string one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

} // namespace

bool send_notice(const std::string& socket_name, const std::string& lines) {
  sockaddr_un to{};
  if (socket_name.size() < 2 || socket_name.size() >= sizeof to.sun_path
      || (socket_name[0] != '/' && socket_name[0] != '@')) {
    errno = EINVAL;
    return false;
  }
  to.sun_family = AF_UNIX;
  std::memcpy(to.sun_path, socket_name.data(), socket_name.size());
  if (socket_name[0] == '@')
    to.sun_path[0] = '\0';
  const auto to_size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path)
                                              + socket_name.size());
  const int fd = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0)
    return false;
  // Whoever does not read must not hold the engine up.
  const auto sent =
    ::sendto(fd, lines.data(), lines.size(), MSG_NOSIGNAL | MSG_DONTWAIT,
             reinterpret_cast<const sockaddr*>(&to), to_size);
  const int why = errno;
  ::close(fd);
  errno = why;
  return sent == static_cast<ssize_t>(lines.size());
}

void tell_ready(const std::string& status) {
  tell("READY=1\nSTATUS=" + one_line(status));
}

void tell_stopping() {
  tell("STOPPING=1");
}

} // namespace depositd
