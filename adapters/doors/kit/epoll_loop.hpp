#pragma once

#include "adapters/doors/kit/loop.hpp"

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <vector>

namespace depositd::kit {

/// What `start_loop` gives: epoll, and a thread from its making until `stop`.
class epoll_loop : public loop {
public:
  epoll_loop();
  ~epoll_loop() override;

  void watch(int descriptor, interest in, task ready) override;
  void unwatch(int descriptor) override;
  void post(task what) override;
  void post_at(time when, task what) override;
  void after_each_look(task what) override;
  time now() const override;
  void stop() override;

private:
  void run();
  void look();
  void run_due();
  void run_posted();
  int wait_ms();

  int epoll_;
  int wake_;
  std::unordered_map<int, std::shared_ptr<task>> watched_;
  std::multimap<time, task> timers_;
  std::vector<task> after_each_look_;
  std::vector<task> running_; ///< kept for its memory
  std::mutex guard_;          ///< of `posted_`
  std::vector<task> posted_;
  std::atomic<bool> stopping_{false};
  std::thread thread_;
};

} // namespace depositd::kit
