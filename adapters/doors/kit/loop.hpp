#pragma once

// The one way to sockets. Doors know this port only, so that what is behind it
// can be exchanged without touching a door.

#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <utility>

namespace depositd::kit {

/// When a descriptor is worth a look.
enum class interest : unsigned char { reading, writing, both };

/// One thread that looks at descriptors and runs what is due. Everything given
/// to it runs in that thread and must not block.
class loop {
public:
  using time = std::chrono::steady_clock::time_point;
  using task = std::function<void()>;

  virtual ~loop() = default;

  /// Runs `ready` whenever the descriptor is ready or broken, until `unwatch`:
  /// what is not read is told again. In the loop's thread only, here and below
  /// unless it is said otherwise.
  virtual void watch(int descriptor, interest in, task ready) = 0;

  /// Must come before the descriptor is closed.
  virtual void unwatch(int descriptor) = 0;

  /// Runs once, in the order of the calls; null only wakes the loop. From any
  /// thread.
  virtual void post(task what) = 0;

  /// Runs once at that time or soon after it.
  virtual void post_at(time when, task what) = 0;

  /// Runs after each look at the descriptors, once, whatever was ready.
  virtual void after_each_look(task what) = 0;

  /// From any thread.
  virtual time now() const = 0;

  /// Ends after what is posted already. From another thread.
  virtual void stop() = 0;
};

/// A loop that runs in a thread of its own until it is stopped. Throws
/// `std::system_error` if the system has no descriptors left.
std::unique_ptr<loop> start_loop();

/// Has the loop compute something and waits for it. From another thread, while
/// the loop runs.
template <class F>
auto compute_in(loop& where, F what) {
  // The loop's, too: it may not have left the task when the result is here.
  const auto work =
    std::make_shared<std::packaged_task<decltype(what())()>>(std::move(what));
  auto out = work->get_future();
  where.post([work] { (*work)(); });
  return out.get();
}

} // namespace depositd::kit
