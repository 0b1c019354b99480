#include "adapters/processing/crossref/parsing_room.hpp"

#include <utility>

namespace depositd::crossref {

parsing_room::parsing_room(std::shared_ptr<memory_budget> of)
  : budget_(std::move(of)) {
  // nop
}

parsing_room::place parsing_room::enter(std::uint64_t document_bytes) {
  const auto bytes = parsing_cost(document_bytes);
  std::unique_lock lock{guard_};
  const auto number = came_++;
  changed_.wait(lock, [&] {
    if (number != entered_)
      return false;
    if (budget_->hold(bytes))
      return true;
    if (entered_ != left_)
      return false;
    budget_->hold_anyway(bytes);
    return true;
  });
  ++entered_;
  changed_.notify_all(); // the next may fit, too
  return {this, bytes};
}

void parsing_room::leave(std::uint64_t bytes) noexcept {
  budget_->let_go(bytes);
  {
    const std::lock_guard lock{guard_};
    ++left_;
  }
  changed_.notify_all();
}

std::uint64_t parsing_room::waiting() const {
  const std::lock_guard lock{guard_};
  return came_ - entered_;
}

parsing_room::place::place(place&& other) noexcept
  : of_(std::exchange(other.of_, nullptr)), bytes_(other.bytes_) {
  // nop
}

parsing_room::place::~place() {
  if (of_)
    of_->leave(bytes_);
}

void parsing_room::place::grow_to(std::uint64_t document_bytes) noexcept {
  const auto wanted = parsing_cost(document_bytes);
  if (wanted <= bytes_)
    return;
  of_->budget_->hold_anyway(wanted - bytes_);
  bytes_ = wanted;
}

} // namespace depositd::crossref
