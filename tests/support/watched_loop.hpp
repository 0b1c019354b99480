#pragma once

// A loop that tells what it looks at, for tests that must know when something
// is left alone.

#include "adapters/doors/kit/actor_loop.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

namespace depositd::testing {

/// What loops have done, of whatever thread.
class loop_story {
public:
  void note_unwatched() {
    const std::lock_guard lock{guard_};
    ++unwatched_;
    changed_.notify_all();
  }

  int unwatched() {
    const std::lock_guard lock{guard_};
    return unwatched_;
  }

  void note_asked_from_elsewhere() {
    ++from_elsewhere_;
  }

  /// How often somebody who is not in a loop's thread asked what is for those
  /// in it.
  int asked_from_elsewhere() const {
    return from_elsewhere_;
  }

  /// Whether one more descriptor than `before` is left alone, soon.
  bool unwatches_another_than(int before) {
    std::unique_lock lock{guard_};
    return changed_.wait_for(lock, std::chrono::seconds{20},
                             [&] { return unwatched_ > before; });
  }

private:
  std::mutex guard_;
  std::condition_variable changed_;
  int unwatched_ = 0;
  std::atomic<int> from_elsewhere_{0};
};

class watched_loop final : public kit::loop {
public:
  watched_loop(std::unique_ptr<kit::loop> loop,
               std::shared_ptr<loop_story> story)
    : loop_(std::move(loop)), story_(std::move(story)) {
    loop_->post([this] { thread_ = std::this_thread::get_id(); });
  }

  /// The same loops, watched.
  static kit::loop_source source(const kit::loop_source& of,
                                 const std::shared_ptr<loop_story>& story) {
    return {[of, story] {
      return std::make_unique<watched_loop>(of.make(), story);
    }};
  }

  void watch(int descriptor, kit::interest in, task ready) override {
    note_who_asks();
    loop_->watch(descriptor, in, std::move(ready));
  }

  void unwatch(int descriptor) override {
    loop_->unwatch(descriptor);
    story_->note_unwatched();
  }

  void post(task what) override {
    loop_->post(std::move(what));
  }

  void post_at(time when, task what) override {
    note_who_asks();
    loop_->post_at(when, std::move(what));
  }

  void after_each_look(task what) override {
    note_who_asks();
    loop_->after_each_look(std::move(what));
  }

  time now() const override {
    return loop_->now();
  }

  void stop() override {
    loop_->stop();
  }

private:
  void note_who_asks() {
    if (std::this_thread::get_id() != thread_.load())
      story_->note_asked_from_elsewhere();
  }

  const std::unique_ptr<kit::loop> loop_;
  const std::shared_ptr<loop_story> story_;
  std::atomic<std::thread::id> thread_; ///< before anything else runs there
};

} // namespace depositd::testing
