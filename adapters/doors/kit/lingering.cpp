#include "adapters/doors/kit/lingering.hpp"

#include <array>
#include <cerrno>

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

namespace depositd::kit {

namespace {

constexpr std::chrono::seconds linger_limit{5};
constexpr std::uint64_t linger_bytes_max = 64 * 1024 * 1024;
constexpr std::size_t lingering_max = 256;

} // namespace

bool has_unread_bytes(int socket) {
  int count = 0;
  return ioctl(socket, FIONREAD, &count) == 0 && count > 0;
}

lingering::lingering(loop& where) : where_(where) {
  // nop
}

lingering::~lingering() {
  while (!open_.empty())
    end(open_.begin()->first);
}

void lingering::add(int socket) {
  if (open_.size() == lingering_max)
    return;
  const int copy = fcntl(socket, F_DUPFD_CLOEXEC, 0);
  if (copy < 0)
    return;
  shutdown(copy, SHUT_WR);
  const auto until = where_.now() + linger_limit;
  open_.emplace(copy, one{until});
  where_.watch(copy, interest::reading, [=, this] { drain(copy); });
  where_.post_at(until, [=, this] {
    // The number may be another's by now.
    const auto found = open_.find(copy);
    if (found != open_.end() && found->second.until == until)
      end(copy);
  });
}

// Once for each time that it is ready: the others of the loop wait.
void lingering::drain(int socket) {
  std::array<char, 64 * 1024> bytes;
  auto& x = open_.at(socket);
  const auto n = recv(socket, bytes.data(), bytes.size(), MSG_DONTWAIT);
  if (n > 0)
    x.bytes += static_cast<std::uint64_t>(n);
  if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR)
      || x.bytes > linger_bytes_max)
    end(socket);
}

void lingering::end(int socket) {
  open_.erase(socket);
  where_.unwatch(socket);
  close(socket);
}

} // namespace depositd::kit
