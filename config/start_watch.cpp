#include "config/start_watch.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>
#include <utility>

namespace depositd {

namespace {

int open_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  return ::signalfd(-1, &signals, SFD_CLOEXEC);
}

} // namespace

start_watch::start_watch(std::function<void(int)> end)
  : end_(std::move(end)), signals_(open_signals()),
    started_(::eventfd(0, EFD_CLOEXEC)) {
  if (signals_ >= 0 && started_ >= 0)
    thread_ = std::thread{[this] { watch(); }};
}

start_watch::~start_watch() {
  if (thread_.joinable()) {
    const std::uint64_t one = 1;
    while (::write(started_, &one, sizeof(one)) < 0 && errno == EINTR)
      ;
    thread_.join();
  }
  ::close(signals_);
  ::close(started_);
}

void start_watch::watch() {
  std::array<pollfd, 2> all{{{signals_, POLLIN, 0}, {started_, POLLIN, 0}}};
  while (::poll(all.data(), all.size(), -1) < 0)
    if (errno != EINTR)
      return;
  // Looking takes no signal away from whoever waits for it after this.
  signalfd_siginfo told{};
  if (all[1].revents == 0
      && ::read(signals_, &told, sizeof(told)) == sizeof(told))
    end_(static_cast<int>(told.ssi_signo));
}

} // namespace depositd
