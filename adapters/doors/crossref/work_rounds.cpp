#include "adapters/doors/crossref/work_rounds.hpp"

#include <algorithm>
#include <utility>

namespace depositd::crossref {

void work_rounds::wait(const std::string& user, work what) {
  auto& own = waiting_[user];
  if (own.empty())
    turns_.push_back(user);
  own.push_back(std::move(what));
}

work_rounds::work work_rounds::next() {
  if (turns_.empty() || in_work_ >= at_once_max_)
    return nullptr;
  const auto first_below = [&](std::uint32_t most) {
    return std::find_if(turns_.begin(), turns_.end(), [&](const auto& user) {
      return in_work_of(user) < most;
    });
  };
  auto turn = first_below(1);
  if (turn == turns_.end())
    turn = first_below(own_max_);
  if (turn == turns_.end())
    return nullptr;
  const auto user = std::move(*turn);
  turns_.erase(turn);
  const auto own = waiting_.find(user);
  auto out = std::move(own->second.front());
  own->second.pop_front();
  if (own->second.empty())
    waiting_.erase(own);
  else
    turns_.push_back(user);
  ++in_work_;
  ++in_work_by_user_[user];
  return out;
}

std::uint32_t work_rounds::in_work_of(const std::string& user) const {
  const auto at = in_work_by_user_.find(user);
  return at == in_work_by_user_.end() ? 0 : at->second;
}

void work_rounds::ended(const std::string& user) {
  const auto at = in_work_by_user_.find(user);
  if (--at->second == 0)
    in_work_by_user_.erase(at);
  --in_work_;
  const auto turn = std::find(turns_.begin(), turns_.end(), user);
  if (turn != turns_.end())
    std::rotate(turn, turn + 1, turns_.end());
}

} // namespace depositd::crossref
