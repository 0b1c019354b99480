#include "adapters/doors/kit/epoll_turns.hpp"

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

thread_local const epoll_turns* turning = nullptr;

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

void epoll_turns::owned_task::operator()() const {
  if (*of && what)
    what();
}

epoll_turns::epoll_turns()
  : epoll_(checked(epoll_create1(EPOLL_CLOEXEC))),
    wake_(checked(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK))) {
  watch(wake_, interest::reading, [this] {
    std::uint64_t count = 0;
    [[maybe_unused]] const auto n = read(wake_, &count, sizeof count);
  });
}

epoll_turns::~epoll_turns() {
  close(wake_);
  close(epoll_);
}

bool epoll_turns::turned_here() const noexcept {
  return turning == this;
}

void epoll_turns::watch(int descriptor, interest in, task ready) {
  epoll_event event{};
  event.events = events_of(in);
  event.data.fd = descriptor;
  const bool known = watched_.count(descriptor) != 0;
  epoll_ctl(epoll_, known ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, descriptor, &event);
  watched_[descriptor] = std::make_shared<task>(std::move(ready));
}

void epoll_turns::unwatch(int descriptor) {
  if (watched_.erase(descriptor) != 0)
    epoll_ctl(epoll_, EPOLL_CTL_DEL, descriptor, nullptr);
}

void epoll_turns::post(owner of, task what) {
  {
    const std::lock_guard lock{guard_};
    posted_.push_back({std::move(of), std::move(what)});
  }
  wake();
}

// Before the thread waits it says so and looks again: what it does not see
// then was put there by somebody who sees that it waits.
void epoll_turns::wake() {
  if (turned_here() || !waits_.exchange(false))
    return;
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto n = write(wake_, &one, sizeof one);
}

void epoll_turns::post_at(time when, owner of, task what) {
  timers_.emplace(when, owned_task{std::move(of), std::move(what)});
}

void epoll_turns::after_each_look(owner of, task what) {
  after_each_look_.push_back({std::move(of), std::move(what)});
}

void epoll_turns::end(const owner& of) {
  *of = false;
  std::erase_if(timers_, [&](const auto& x) { return x.second.of == of; });
}

void epoll_turns::begin_turn() noexcept {
  turning = this;
  waits_ = true;
}

int epoll_turns::wait_ms() {
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

void epoll_turns::look(int timeout_ms) {
  if (timeout_ms == 0)
    waits_ = false;
  std::array<epoll_event, 64> events;
  const int count = epoll_wait(epoll_, events.data(),
                               static_cast<int>(events.size()), timeout_ms);
  waits_ = false;
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

void epoll_turns::run_due() {
  const auto until = now();
  while (!timers_.empty() && timers_.begin()->first <= until)
    timers_.extract(timers_.begin()).mapped()();
}

void epoll_turns::run_posted() {
  {
    const std::lock_guard lock{guard_};
    running_.swap(posted_);
  }
  for (auto& x : running_)
    x();
  running_.clear();
}

void epoll_turns::run_after_look() {
  for (auto at = after_each_look_.begin(); at != after_each_look_.end();) {
    if (!*at->of) {
      at = after_each_look_.erase(at);
    } else {
      (*at)();
      ++at;
    }
  }
}

} // namespace depositd::kit
