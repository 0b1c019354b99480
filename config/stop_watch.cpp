#include "config/stop_watch.hpp"

#include <csignal>
#include <ctime>
#include <utility>

namespace depositd {

stop_watch::stop_watch(std::function<void(const std::string&)> end)
  : end_(std::move(end)) {
  // nop
}

stop_watch::~stop_watch() {
  if (!thread_.joinable())
    return;
  over_ = true;
  ::pthread_kill(thread_.native_handle(), SIGTERM); // wakes it
  thread_.join();
}

void stop_watch::begin(std::chrono::milliseconds most) {
  thread_ = std::thread{[this, most] { watch(most); }};
}

void stop_watch::watch(std::chrono::milliseconds most) {
  using clock = std::chrono::steady_clock;
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  const auto until = clock::now() + most;
  while (!over_) {
    const auto left =
      std::chrono::ceil<std::chrono::milliseconds>(until - clock::now());
    if (left.count() <= 0)
      return end_("it takes longer than " + std::to_string(most.count())
                  + " ms");
    const timespec wait{left.count() / 1'000,
                        left.count() % 1'000 * 1'000'000};
    if (sigtimedwait(&signals, nullptr, &wait) > 0 && !over_)
      return end_("it was told so again");
  }
}

} // namespace depositd
