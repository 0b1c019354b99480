#include "actors/rules/sources/marks.hpp"

namespace depositd::rules {

marks::marks(const scheduler_settings& by) {
  set(by);
}

void marks::set(const scheduler_settings& by) {
  // Whoever raises the mark wants it reached, not first what is below.
  if (by.high > high_)
    holding_ = false;
  high_ = by.high;
  low_ = by.low_mark();
  per_user_ = by.high_per_user;
  if (per_user_ == no_mark)
    of_user_.clear();
  judge(exact_);
}

void marks::judge(bool exactly) noexcept {
  exact_ = exactly || (exact_ && holding_);
  if (left_ >= high_)
    holding_ = true;
  else if (left_ <= low_)
    holding_ = false;
}

void marks::measured(std::uint64_t left, std::uint64_t on_the_way) {
  left_ = left + on_the_way;
  known_ = true;
  judge(on_the_way == 0);
}

std::uint64_t marks::room() const noexcept {
  return !known_ || holding_ || left_ >= high_ ? 0 : high_ - left_;
}

void marks::measured_user(std::string_view user, std::uint64_t left) {
  if (left == 0 || per_user_ == no_mark)
    of_user_.erase(std::string{user});
  else
    of_user_[std::string{user}] = left;
}

std::uint64_t marks::room(std::string_view user) const {
  if (per_user_ == no_mark)
    return no_mark;
  const auto at = of_user_.find(std::string{user});
  const auto left = at == of_user_.end() ? 0 : at->second;
  return left >= per_user_ ? 0 : per_user_ - left;
}

void marks::fed(std::string_view user) {
  ++left_;
  if (per_user_ != no_mark)
    ++of_user_[std::string{user}];
  judge(false);
}

void marks::ended(std::string_view user) {
  if (left_ > 0)
    --left_;
  if (const auto at = of_user_.find(std::string{user});
      at != of_user_.end() && --at->second == 0)
    of_user_.erase(at);
  judge(false);
}

void marks::taken_back(std::string_view user) {
  const bool doubtful = holding_ && !exact_;
  ended(user);
  if (doubtful && left_ < high_)
    holding_ = false;
}

} // namespace depositd::rules
