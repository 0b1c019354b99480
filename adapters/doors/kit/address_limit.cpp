#include "adapters/doors/kit/address_limit.hpp"

#include "adapters/doors/kit/turnstile.hpp"

namespace depositd::kit {

address_limit::place::place(address_limit& of, std::string holder)
  : of_(&of), holder_(std::move(holder)) {
  const std::lock_guard lock{of.guard_};
  ++of.holders_[holder_];
}

address_limit::place::place(place&& other) noexcept
  : of_(std::exchange(other.of_, nullptr)), holder_(std::move(other.holder_)) {
  // nop
}

address_limit::place& address_limit::place::operator=(place&& other) noexcept {
  std::swap(of_, other.of_);
  std::swap(holder_, other.holder_);
  return *this;
}

address_limit::place::~place() {
  if (of_ == nullptr)
    return;
  const std::lock_guard lock{of_->guard_};
  const auto at = of_->holders_.find(holder_);
  if (--at->second == 0)
    of_->holders_.erase(at);
}

bool address_limit::has_room(const std::string& address) const {
  if (max_ == 0)
    return true;
  const auto holder = holder_of(address);
  const std::lock_guard lock{guard_};
  const auto at = holders_.find(holder);
  return at == holders_.end() || at->second < max_;
}

address_limit::place address_limit::enter(const std::string& address) {
  return max_ == 0 ? place{} : place{*this, holder_of(address)};
}

} // namespace depositd::kit
