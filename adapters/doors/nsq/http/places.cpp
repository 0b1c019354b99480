#include "adapters/doors/nsq/http/places.hpp"

#include <utility>

namespace depositd::nsq_http {

places::places(std::size_t most, std::size_t waiting_max)
  : most_(most), waiting_max_(waiting_max) {
  // nop
}

bool places::enter(task what) {
  {
    const std::lock_guard lock{guard_};
    if (taken_ == most_ || !waiting_.empty()) {
      if (waiting_.size() == waiting_max_)
        return false;
      waiting_.push_back(std::move(what));
      return true;
    }
    ++taken_;
  }
  what(taken_place());
  return true;
}

places::place places::taken_place() {
  return {this, [self = shared_from_this()](const void*) { self->leave(); }};
}

// Tasks may leave at once what they get: one after the other, not each within
// the one before.
void places::leave() {
  std::unique_lock lock{guard_};
  --taken_;
  if (passing_on_)
    return; // whoever does sees that there is one more
  passing_on_ = true;
  while (taken_ < most_ && !waiting_.empty()) {
    ++taken_;
    auto next = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    next(taken_place());
    next = nullptr;
    lock.lock();
  }
  passing_on_ = false;
}

} // namespace depositd::nsq_http
