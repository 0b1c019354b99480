#include "adapters/doors/kit/epoll_loop.hpp"

#include <utility>

namespace depositd::kit {

std::unique_ptr<loop> start_loop() {
  return std::make_unique<loop_thread>();
}

// -- a part of a thread's turns -----------------------------------------------

epoll_loop::epoll_loop(std::shared_ptr<epoll_turns> turns)
  : turns_(std::move(turns)) {
  // nop
}

epoll_loop::~epoll_loop() {
  epoll_loop::stop();
}

void epoll_loop::end() {
  for (const auto descriptor : std::exchange(watched_, {}))
    turns_->unwatch(descriptor);
  turns_->end(lives_);
}

void epoll_loop::stop() {
  if (!std::exchange(stopped_, true))
    compute_in(*this, [this] { end(); });
}

void epoll_loop::watch(int descriptor, interest in, task ready) {
  watched_.insert(descriptor);
  turns_->watch(descriptor, in, std::move(ready));
}

void epoll_loop::unwatch(int descriptor) {
  if (watched_.erase(descriptor) != 0)
    turns_->unwatch(descriptor);
}

void epoll_loop::post(task what) {
  turns_->post(lives_, std::move(what));
}

void epoll_loop::post_at(time when, task what) {
  turns_->post_at(when, lives_, std::move(what));
}

void epoll_loop::after_each_look(task what) {
  turns_->after_each_look(lives_, std::move(what));
}

loop::time epoll_loop::now() const {
  return epoll_turns::now();
}

// -- a thread of its own ------------------------------------------------------

loop_thread::loop_thread()
  : epoll_loop(std::make_shared<epoll_turns>()), thread_([this] {
      while (!stopping_)
        turns_->turn([] { return true; });
    }) {
  // nop
}

loop_thread::~loop_thread() {
  loop_thread::stop();
}

void loop_thread::stop() {
  if (std::exchange(stopped_, true))
    return;
  post([this] {
    end();
    stopping_ = true;
  });
  thread_.join();
}

} // namespace depositd::kit
