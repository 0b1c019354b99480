#include "adapters/doors/kit/epoll_loop.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <system_error>
#include <utility>

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

namespace depositd::kit {

namespace {

int checked(int descriptor) {
  if (descriptor < 0)
    throw std::system_error{errno, std::generic_category(), "no loop"};
  return descriptor;
}

std::uint32_t events_of(interest in) {
  std::uint32_t out = 0;
  if (in != interest::writing)
    out |= EPOLLIN;
  if (in != interest::reading)
    out |= EPOLLOUT;
  return out;
}

} // namespace

std::unique_ptr<loop> start_loop() {
  return std::make_unique<epoll_loop>();
}

epoll_loop::epoll_loop()
  : epoll_(checked(epoll_create1(EPOLL_CLOEXEC))),
    wake_(checked(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK))) {
  watch(wake_, interest::reading, [this] {
    std::uint64_t count = 0;
    [[maybe_unused]] const auto n = read(wake_, &count, sizeof count);
  });
  thread_ = std::thread{[this] { run(); }};
}

epoll_loop::~epoll_loop() {
  stop();
  close(wake_);
  close(epoll_);
}

void epoll_loop::stop() {
  if (!thread_.joinable())
    return;
  post([this] { stopping_ = true; });
  thread_.join();
}

void epoll_loop::watch(int descriptor, interest in, task ready) {
  epoll_event event{};
  event.events = events_of(in);
  event.data.fd = descriptor;
  const bool known = watched_.count(descriptor) != 0;
  epoll_ctl(epoll_, known ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, descriptor, &event);
  watched_[descriptor] = std::make_shared<task>(std::move(ready));
}

void epoll_loop::unwatch(int descriptor) {
  if (watched_.erase(descriptor) != 0)
    epoll_ctl(epoll_, EPOLL_CTL_DEL, descriptor, nullptr);
}

void epoll_loop::post(task what) {
  {
    const std::lock_guard lock{guard_};
    posted_.push_back(std::move(what));
    // Whoever came before has woken it, and so does what runs in it.
    if (posted_.size() > 1 || std::this_thread::get_id() == thread_.get_id())
      return;
  }
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto n = write(wake_, &one, sizeof one);
}

void epoll_loop::post_at(time when, task what) {
  timers_.emplace(when, std::move(what));
}

void epoll_loop::after_each_look(task what) {
  after_each_look_.push_back(std::move(what));
}

loop::time epoll_loop::now() const {
  return std::chrono::steady_clock::now();
}

int epoll_loop::wait_ms() {
  using std::chrono::milliseconds;
  {
    const std::lock_guard lock{guard_};
    if (!posted_.empty())
      return 0;
  }
  if (timers_.empty())
    return -1;
  const auto left =
    std::chrono::ceil<milliseconds>(timers_.begin()->first - now());
  return static_cast<int>(
    std::clamp(left, milliseconds{0}, milliseconds{60'000}).count());
}

void epoll_loop::look() {
  std::array<epoll_event, 64> events;
  const int count = epoll_wait(epoll_, events.data(),
                               static_cast<int>(events.size()), wait_ms());
  for (int i = 0; i < count; ++i) {
    // One of those before it may have ended the watch.
    const auto found =
      watched_.find(events[static_cast<std::size_t>(i)].data.fd);
    if (found == watched_.end())
      continue;
    const auto ready = found->second;
    (*ready)();
  }
}

void epoll_loop::run_due() {
  const auto until = now();
  while (!timers_.empty() && timers_.begin()->first <= until)
    timers_.extract(timers_.begin()).mapped()();
}

void epoll_loop::run_posted() {
  {
    const std::lock_guard lock{guard_};
    running_.swap(posted_);
  }
  for (auto& x : running_)
    if (x)
      x();
  running_.clear();
}

void epoll_loop::run() {
  while (!stopping_) {
    look();
    run_due();
    run_posted();
    for (auto& x : after_each_look_)
      x();
  }
}

} // namespace depositd::kit
