#include "adapters/processing/stages/item_waits.hpp"

#include <algorithm>
#include <utility>

namespace depositd::stages {

item_waits::item_waits(std::function<void(wake_items)> wake)
  : wake_(std::move(wake)) {
  // nop
}

void item_waits::wait(const std::string& for_what, const handle_item& x) {
  const std::lock_guard guard{mutex_};
  const auto [first, last] = waiting_.equal_range(for_what);
  const bool known = std::any_of(
    first, last, [&](const auto& one) { return one.second.id == x.item.id; });
  if (!known && waiting_.size() < count_max)
    waiting_.emplace(for_what, waiter{x.item.user, x.queue, x.item.id});
}

void item_waits::ended(const std::vector<std::string>& what) {
  std::map<std::pair<std::string, std::string>, std::vector<item_id>> found;
  {
    const std::lock_guard guard{mutex_};
    for (const auto& one : what) {
      const auto [first, last] = waiting_.equal_range(one);
      for (auto at = first; at != last; ++at)
        found[{at->second.user, at->second.queue}].push_back(at->second.id);
      waiting_.erase(first, last);
    }
  }
  for (auto& [where, ids] : found)
    wake_({where.first, where.second, std::move(ids)});
}

} // namespace depositd::stages
