#pragma once

// Of questions that keep everybody waiting, a few at a time.

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>

namespace depositd::nsq_http {

/// Any thread. Made with `make_shared`.
class places : public std::enable_shared_from_this<places> {
public:
  /// Free again once the last copy is gone.
  using place = std::shared_ptr<const void>;
  using task = std::function<void(place)>;

  /// So many may have one, and so many more wait for one.
  places(std::size_t most, std::size_t waiting_max);

  /// Runs the task with a place, in the order of coming: at once, or in the
  /// thread of whoever leaves one. It must not throw. False: too many wait.
  bool enter(task what);

private:
  place taken_place();
  void leave();

  const std::size_t most_;
  const std::size_t waiting_max_;
  std::mutex guard_; ///< of what follows
  std::size_t taken_ = 0;
  bool passing_on_ = false; ///< some thread gives places to who waits
  std::deque<task> waiting_;
};

} // namespace depositd::nsq_http
