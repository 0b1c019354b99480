#include "adapters/doors/http/io_loop.hpp"

#include "adapters/doors/http/connection.hpp"
#include "adapters/doors/http/exchange.hpp"
#include "messages/values/free_memory.hpp"

#include <cerrno>
#include <utility>

#include <sys/socket.h>
#include <unistd.h>

namespace depositd::http {

namespace {

constexpr std::chrono::milliseconds longest_wait{250};

/// After so many arrivals those who are there have their turn.
constexpr int arrivals_of_a_look = 64;

} // namespace

io_loop::io_loop(std::unique_ptr<kit::loop> loop,
                 std::chrono::milliseconds tick)
  : loop_(std::move(loop)), connections(*loop_, tick), ended(*loop_) {
  // nop
}

io_loop::~io_loop() {
  stop();
}

void io_loop::start(int listener, events what) {
  events_ = std::move(what);
  loop_->post([=, this] {
    listener_ = listener;
    listen();
    loop_->after_each_look([this] { look(); });
    keep_looking();
  });
}

// -- who comes ----------------------------------------------------------------

void io_loop::listen() {
  if (listener_ >= 0)
    loop_->watch(listener_, kit::interest::reading, [this] { accept_some(); });
}

void io_loop::accept_some() {
  for (int i = 0; i < arrivals_of_a_look; ++i) {
    sockaddr_storage from{};
    socklen_t size = sizeof from;
    auto* name = reinterpret_cast<sockaddr*>(&from);
    const int socket =
      accept4(listener_, name, &size, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (socket >= 0) {
      events_.arrived(socket, name);
      continue;
    }
    // Whatever lasts, as a lack of files does: the arrival stays, and would be
    // told for ever.
    if (errno != EAGAIN && errno != EINTR && errno != ECONNABORTED) {
      loop_->unwatch(listener_);
      loop_->post_at(now() + longest_wait, [this] { listen(); });
    }
    return;
  }
}

void io_loop::stop_listening() {
  loop_->post([this] {
    if (listener_ < 0)
      return;
    loop_->unwatch(listener_);
    close(std::exchange(listener_, -1));
  });
}

connection& io_loop::add(std::unique_ptr<connection> x) {
  auto& out = *x;
  if (ended_.capacity() == open_.size())
    ended_.reserve(2 * open_.size() + 1);
  connections.add(out);
  try {
    open_.emplace(&out, std::move(x));
  } catch (...) {
    connections.remove(out);
    throw;
  }
  return out;
}

// -- looks --------------------------------------------------------------------

void io_loop::resume(std::shared_ptr<exchange> x) {
  const std::lock_guard lock{guard_};
  resumed_.push_back(std::move(x));
  if (resumed_.size() > 1)
    return;
  try {
    loop_->post([this] { resume_all(); });
  } catch (...) {
    resumed_.pop_back();
    throw;
  }
}

void io_loop::resume_all() {
  std::vector<std::shared_ptr<exchange>> all;
  {
    const std::lock_guard lock{guard_};
    all.swap(resumed_);
  }
  for (const auto& x : all)
    x->resume();
}

void io_loop::end(connection& x) noexcept {
  ended_.push_back(&x);
}

void io_loop::remove(connection& x) {
  connections.remove(x);
  arriving.forget(x);
  x.close();
  if (x.lingers || kit::has_unread_bytes(x.socket()))
    ended.add(x.socket());
  events_.gone(x);
  open_.erase(&x);
}

void io_loop::look() {
  // Others may end meanwhile.
  for (std::size_t i = 0; i < ended_.size(); ++i)
    remove(*ended_[i]);
  ended_.clear();
  if (events_.after_round)
    events_.after_round();
}

void io_loop::keep_looking() {
  free_memory_if_asked();
  for (const auto& [key, x] : open_)
    x->make_room();
  loop_->post_at(now() + longest_wait, [this] { keep_looking(); });
}

void io_loop::stop() {
  if (std::exchange(stopped_, true))
    return;
  stop_listening();
  loop_->post([this] {
    ended_.clear();
    while (!open_.empty())
      remove(*open_.begin()->first);
  });
  loop_->stop();
}

} // namespace depositd::http
