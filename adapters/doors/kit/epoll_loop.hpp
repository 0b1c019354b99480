#pragma once

#include "adapters/doors/kit/epoll_turns.hpp"

#include <atomic>
#include <memory>
#include <set>
#include <thread>

namespace depositd::kit {

/// A part of a thread's turns: what it was given ends with it.
class epoll_loop : public loop {
public:
  explicit epoll_loop(std::shared_ptr<epoll_turns> turns);
  ~epoll_loop() override;

  void watch(int descriptor, interest in, task ready) override;
  void unwatch(int descriptor) override;
  void post(task what) override;
  void post_at(time when, task what) override;
  void after_each_look(task what) override;
  time now() const override;
  void stop() override;

protected:
  /// In the thread.
  void end();

  const std::shared_ptr<epoll_turns> turns_;
  bool stopped_ = false;

private:
  std::set<int> watched_;
  const epoll_turns::owner lives_ = std::make_shared<bool>(true);
};

/// What `start_loop` gives: a thread from its making until `stop`.
class loop_thread : public epoll_loop {
public:
  loop_thread();
  ~loop_thread() override;

  void stop() override;

private:
  std::atomic<bool> stopping_{false};
  std::thread thread_;
};

} // namespace depositd::kit
