#pragma once

// Ends what takes too long.

#include "adapters/doors/kit/loop.hpp"

#include <unordered_set>

namespace depositd::kit {

/// What has to get on until a time, a connection for example.
class timed {
public:
  virtual ~timed() = default;

  /// Its time is over. Called once for each deadline that passes.
  virtual void expire() = 0;

  loop::time deadline = loop::time::max();
};

/// The deadlines of one loop, looked at every tick. In the loop's thread only,
/// and the loop must have ended before it goes.
class deadlines {
public:
  deadlines(loop& where, std::chrono::milliseconds tick);

  /// `x` must be removed before it goes.
  void add(timed& x) {
    open_.insert(&x);
  }

  void remove(timed& x) {
    open_.erase(&x);
  }

  const std::unordered_set<timed*>& open() const {
    return open_;
  }

private:
  void look();

  loop& where_;
  const std::chrono::milliseconds tick_;
  std::unordered_set<timed*> open_;
};

} // namespace depositd::kit
