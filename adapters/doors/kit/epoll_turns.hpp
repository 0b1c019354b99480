#pragma once

#include "adapters/doors/kit/loop.hpp"

#include <atomic>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace depositd::kit {

/// What a loop on epoll does, without its thread: that is whoever turns it, and
/// it alone may call what is not said to be for any thread.
class epoll_turns {
public:
  using time = loop::time;
  using task = loop::task;

  /// Whose something is: nothing of it runs once this is false, which is for
  /// the thread to say.
  using owner = std::shared_ptr<bool>;

  epoll_turns();
  ~epoll_turns();

  epoll_turns(const epoll_turns&) = delete;
  epoll_turns& operator=(const epoll_turns&) = delete;

  void watch(int descriptor, interest in, task ready);
  void unwatch(int descriptor);
  void post_at(time when, owner of, task what);
  void after_each_look(owner of, task what);

  /// Nothing of it runs any more.
  void end(const owner& of);

  /// From any thread.
  void post(owner of, task what);

  /// Ends a wait of the thread, so that it looks at what was put where it can
  /// see it. From any thread.
  void wake();

  /// Whether the caller is the thread that turns this.
  bool turned_here() const noexcept;

  static time now() {
    return std::chrono::steady_clock::now();
  }

  /// Looks at the descriptors once and runs what is due. Waits for something to
  /// be due if `may_wait` says so; from when it is asked `wake` is heard.
  template <class F>
  void turn(F may_wait) {
    begin_turn();
    look(may_wait() ? wait_ms() : 0);
    run_due();
    run_posted();
    run_after_look();
  }

private:
  struct owned_task {
    owner of;
    task what;

    void operator()() const;
  };

  void begin_turn() noexcept;
  int wait_ms();
  void look(int timeout_ms);
  void run_due();
  void run_posted();
  void run_after_look();

  int epoll_;
  int wake_;
  std::unordered_map<int, std::shared_ptr<task>> watched_;
  std::multimap<time, owned_task> timers_;
  std::list<owned_task> after_each_look_;
  std::vector<owned_task> running_; ///< kept for its memory
  std::mutex guard_;                ///< of `posted_`
  std::vector<owned_task> posted_;
  std::atomic<bool> waits_{false}; ///< or is about to
};

} // namespace depositd::kit
