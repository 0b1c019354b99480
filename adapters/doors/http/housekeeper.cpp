#include "adapters/doors/http/housekeeper.hpp"

#include "adapters/doors/http/exchange.hpp"
#include "messages/values/types.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

namespace depositd::http {

namespace {

constexpr std::int64_t linger_ms = 5'000;
constexpr std::uint64_t linger_bytes_max = 64 * 1024 * 1024;
constexpr std::size_t lingering_max = 256;
constexpr std::string_view too_slow =
  "HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n"
  "Content-Type: text/plain;charset=UTF-8\r\nContent-Length: 44\r\n\r\n"
  "The request did not arrive within its time.\n";

bool has_unread_bytes(int socket) {
  int count = 0;
  return ioctl(socket, FIONREAD, &count) == 0 && count > 0;
}

} // namespace

housekeeper::housekeeper(std::chrono::milliseconds tick)
  : tick_(tick), event_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  thread_ = std::thread{[this] { run(); }};
}

housekeeper::~housekeeper() {
  stop();
  close(event_);
}

void housekeeper::stop() {
  stopping_ = true;
  wake();
  if (thread_.joinable())
    thread_.join();
}

void housekeeper::wake() {
  const std::uint64_t one = 1;
  // Full means that it is awake already.
  [[maybe_unused]] const auto n = write(event_, &one, sizeof one);
}

void housekeeper::add(connection* x) {
  const std::lock_guard lock{guard_};
  open_.insert(x);
}

void housekeeper::remove(connection* x) {
  const bool lingers = x->lingers
                       || phase_clock::what(x->clock.load()) == phase::receiving
                       || has_unread_bytes(x->socket);
  {
    const std::lock_guard lock{guard_};
    open_.erase(x);
    if (!lingers || arrived_.size() == lingering_max)
      return;
    const int copy = fcntl(x->socket, F_DUPFD_CLOEXEC, 0);
    if (copy < 0)
      return;
    arrived_.push_back({copy, phase_clock::now_ms() + linger_ms, 0});
  }
  wake();
}

void housekeeper::each(const std::function<void(connection&)>& show) {
  const std::lock_guard lock{guard_};
  for (auto* x : open_)
    show(*x);
}

void housekeeper::expire(connection& x, phase_clock::word seen) {
  const auto what = phase_clock::what(seen);
  if (what == phase::answering) {
    // Once: what comes next is the I/O thread's.
    const auto never = phase_clock::make(phase::answering, INT64_MAX >> 4);
    if (!x.clock.replace(seen, never))
      return;
    ++expired_;
    const std::lock_guard lock{x.guard};
    if (x.current)
      x.current->expire();
    return;
  }
  if (!x.clock.replace(seen, phase_clock::make(phase::doomed, 0)))
    return;
  ++expired_;
  // The library only reads from this socket now, so nothing is mixed up.
  if (what == phase::receiving && !x.secure)
    send(x.socket, too_slow.data(), too_slow.size(),
         MSG_NOSIGNAL | MSG_DONTWAIT);
  shutdown(x.socket, SHUT_RDWR);
}

// Reads and forgets; keeps in `from` what is not over.
void housekeeper::drain(std::vector<lingering>& from) {
  std::array<char, 64 * 1024> bytes;
  const auto now = phase_clock::now_ms();
  const auto is_over = [&](lingering& x) {
    for (;;) {
      const auto n = recv(x.socket, bytes.data(), bytes.size(), MSG_DONTWAIT);
      if (n > 0)
        x.bytes += static_cast<std::uint64_t>(n);
      const bool over = n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR)
                        || now >= x.until_ms || x.bytes > linger_bytes_max;
      if (over)
        close(x.socket);
      if (over || n < 0)
        return over;
    }
  };
  from.erase(std::remove_if(from.begin(), from.end(), is_over), from.end());
}

void housekeeper::run() {
  std::vector<lingering> held;
  std::vector<pollfd> waits;
  auto look_again_ms = phase_clock::now_ms() + tick_.count();
  while (!stopping_) {
    waits.assign(1, {event_, POLLIN, 0});
    for (const auto& x : held)
      waits.push_back({x.socket, POLLIN, 0});
    const auto wait = look_again_ms - phase_clock::now_ms();
    poll(waits.data(), waits.size(),
         static_cast<int>(std::max<std::int64_t>(wait, 0)));
    std::uint64_t count = 0;
    [[maybe_unused]] const auto n = read(event_, &count, sizeof count);
    {
      const std::lock_guard lock{guard_};
      for (auto& x : arrived_) {
        shutdown(x.socket, SHUT_WR);
        held.push_back(x);
      }
      arrived_.clear();
    }
    drain(held);
    const auto now = phase_clock::now_ms();
    if (now < look_again_ms)
      continue;
    look_again_ms = now + tick_.count();
    each([&](connection& x) {
      const auto seen = x.clock.load();
      if (phase_clock::what(seen) != phase::doomed
          && now >= phase_clock::deadline_ms(seen))
        expire(x, seen);
    });
  }
  for (const auto& x : held)
    close(x.socket);
}

} // namespace depositd::http
