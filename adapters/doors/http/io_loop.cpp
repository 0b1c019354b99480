#include "adapters/doors/http/io_loop.hpp"

#include "messages/values/free_memory.hpp"

#include <utility>

#include <microhttpd.h>
#include <unistd.h>

namespace depositd::http {

namespace {

// After the library ran out of files it listens again only when it is driven.
constexpr std::chrono::milliseconds longest_wait{250};

int events_of(MHD_Daemon* daemon) {
  return MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd;
}

bool has_work(MHD_Daemon* daemon) {
  MHD_UNSIGNED_LONG_LONG wait_ms = 0;
  return MHD_get_timeout(daemon, &wait_ms) == MHD_YES && wait_ms == 0;
}

} // namespace

io_loop::io_loop(std::unique_ptr<kit::loop> loop,
                 std::chrono::milliseconds tick)
  : loop_(std::move(loop)), connections(*loop_, tick), ended(*loop_) {
  // nop
}

io_loop::~io_loop() {
  stop();
}

void io_loop::start(MHD_Daemon* daemon, std::function<void()> after_round) {
  after_round_ = std::move(after_round);
  loop_->post([=, this] {
    daemon_ = daemon;
    // What is ready is the library's to find out, after each look.
    loop_->watch(events_of(daemon), kit::interest::reading, [] {});
    loop_->after_each_look([this] { look(); });
    keep_looking();
  });
}

void io_loop::look() {
  if (!daemon_)
    return;
  ++round_;
  MHD_run(daemon_);
  if (after_round_)
    after_round_();
  if (has_work(daemon_))
    loop_->post(nullptr);
}

void io_loop::keep_looking() {
  free_memory_if_asked();
  loop_->post_at(now() + longest_wait, [this] { keep_looking(); });
}

void io_loop::notice() {
  // Until the thread has taken the first notice, one is enough.
  if (!noticed_.exchange(true))
    loop_->post([this] { noticed_ = false; });
}

void io_loop::stop_listening() {
  loop_->post([this] {
    const int socket = MHD_quiesce_daemon(daemon_);
    if (socket >= 0)
      close(socket);
  });
}

void io_loop::stop() {
  if (std::exchange(stopped_, true))
    return;
  loop_->post([this] {
    if (!daemon_)
      return;
    loop_->unwatch(events_of(daemon_));
    MHD_stop_daemon(std::exchange(daemon_, nullptr));
  });
  loop_->stop();
}

} // namespace depositd::http
