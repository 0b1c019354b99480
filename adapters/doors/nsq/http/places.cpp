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
    if (taken_ == most_) {
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

void places::leave() {
  task next;
  {
    const std::lock_guard lock{guard_};
    if (waiting_.empty()) {
      --taken_;
      return;
    }
    next = std::move(waiting_.front());
    waiting_.pop_front();
  }
  next(taken_place());
}

} // namespace depositd::nsq_http
