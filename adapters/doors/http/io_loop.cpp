#include "adapters/doors/http/io_loop.hpp"

#include <cstdint>
#include <utility>

#include <microhttpd.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

namespace depositd::http {

namespace {

// After the library ran out of files it listens again only when it is driven.
constexpr int longest_wait_ms = 250;

bool has_work(MHD_Daemon* daemon) {
  MHD_UNSIGNED_LONG_LONG wait_ms = 0;
  return MHD_get_timeout(daemon, &wait_ms) == MHD_YES && wait_ms == 0;
}

} // namespace

io_loop::io_loop() : event_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  // nop
}

void io_loop::start(MHD_Daemon* daemon, std::function<void()> after_round) {
  daemon_ = daemon;
  after_round_ = std::move(after_round);
  thread_ = std::thread{[this] { run(); }};
}

io_loop::~io_loop() {
  stop();
  close(event_);
}

void io_loop::notice() {
  // Until the thread has taken the first notice, one is enough.
  if (noticed_.exchange(true))
    return;
  const std::uint64_t one = 1;
  // Full means that it is awake already.
  [[maybe_unused]] const auto n = write(event_, &one, sizeof one);
}

void io_loop::stop_listening() {
  quiet_ = true;
  notice();
}

void io_loop::stop() {
  if (!daemon_)
    return;
  stopping_ = true;
  notice();
  thread_.join();
  MHD_stop_daemon(std::exchange(daemon_, nullptr));
}

void io_loop::run() {
  const auto* info = MHD_get_daemon_info(daemon_, MHD_DAEMON_INFO_EPOLL_FD);
  pollfd waits[] = {{info->epoll_fd, POLLIN, 0}, {event_, POLLIN, 0}};
  bool listening = true;
  while (!stopping_) {
    waits[1].revents = 0;
    if (!has_work(daemon_))
      poll(waits, 2, longest_wait_ms);
    if (waits[1].revents != 0) {
      std::uint64_t count = 0;
      [[maybe_unused]] const auto n = read(event_, &count, sizeof count);
      // After the read: a notice that comes between is seen below.
      noticed_ = false;
    }
    if (listening && quiet_) {
      listening = false;
      const int socket = MHD_quiesce_daemon(daemon_);
      if (socket >= 0)
        close(socket);
    }
    MHD_run(daemon_);
    if (after_round_)
      after_round_();
  }
}

} // namespace depositd::http
