#include "adapters/processing/stages/item_waits.hpp"

#include <utility>

namespace depositd::stages {

namespace {

constexpr std::size_t woken_max = 4;

} // namespace

item_waits::item_waits(std::function<void(wake_items)> wake)
  : wake_(std::move(wake)) {
  // nop
}

void item_waits::wait(const std::string& for_what, const handle_item& x) {
  const std::lock_guard guard{mutex_};
  if (count_ >= count_max)
    return;
  auto& waiters = waiting_[for_what];
  if (waiters.try_emplace(x.item.id, waiter{x.item.user, x.queue}).second)
    ++count_;
}

void item_waits::ended(const std::vector<std::string>& what) {
  std::map<std::pair<std::string, std::string>, std::vector<item_id>> found;
  {
    const std::lock_guard guard{mutex_};
    for (const auto& one : what) {
      const auto at = waiting_.find(one);
      if (at == waiting_.end())
        continue;
      auto& waiters = at->second;
      for (std::size_t i = 0; i < woken_max && !waiters.empty(); ++i) {
        const auto first = waiters.begin();
        found[{first->second.user, first->second.queue}].push_back(
          first->first);
        waiters.erase(first);
        --count_;
      }
      if (waiters.empty())
        waiting_.erase(at);
    }
  }
  for (auto& [where, ids] : found)
    wake_({where.first, where.second, std::move(ids)});
}

} // namespace depositd::stages
