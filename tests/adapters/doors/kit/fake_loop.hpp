#pragma once

// A loop without a thread or a clock: tests say what is ready and what time it
// is, and nothing happens in between.

#include "adapters/doors/kit/loop.hpp"

#include <deque>
#include <map>
#include <vector>

namespace depositd::testing {

class fake_loop : public kit::loop {
public:
  void watch(int descriptor, kit::interest, task ready) override {
    watched[descriptor] = std::move(ready);
  }

  void unwatch(int descriptor) override {
    watched.erase(descriptor);
  }

  void post(task what) override {
    posted_.push_back(std::move(what));
  }

  void post_at(time when, task what) override {
    timers_.emplace(when, std::move(what));
  }

  void after_each_look(task what) override {
    hooks_.push_back(std::move(what));
  }

  time now() const override {
    return now_;
  }

  void stop() override {
    // nop
  }

  /// One look, with this descriptor ready.
  void ready(int descriptor) {
    const auto what = watched.at(descriptor);
    what();
    settle();
  }

  /// Runs what is posted, then the hooks.
  void settle() {
    for (; !posted_.empty(); posted_.pop_front())
      if (posted_.front())
        posted_.front()();
    for (auto& x : hooks_)
      x();
  }

  /// Runs what is due on the way, in order.
  void advance(std::chrono::milliseconds by) {
    const auto until = now_ + by;
    while (!timers_.empty() && timers_.begin()->first <= until) {
      now_ = timers_.begin()->first;
      timers_.extract(timers_.begin()).mapped()();
      settle();
    }
    now_ = until;
  }

  std::map<int, task> watched; ///< by descriptor

private:
  time now_{std::chrono::hours{1}};
  std::deque<task> posted_;
  std::multimap<time, task> timers_;
  std::vector<task> hooks_;
};

} // namespace depositd::testing
