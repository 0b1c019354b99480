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

std::uint32_t item_waits::wait(const std::string& for_what,
                               const handle_item& x) {
  const std::lock_guard guard{mutex_};
  if (count_ < count_max) {
    auto& waiters = waiting_[for_what];
    if (waiters.try_emplace(x.item.id, waiter{x.item.user, x.queue}).second)
      ++count_;
  }
  const auto end = endings_.find(for_what);
  if (end == endings_.end() || end->second >= asks_max)
    return 0;
  return first_ask_ms << (end->second++ / woken_max);
}

void item_waits::note_ending(const std::string& what) {
  const std::lock_guard guard{mutex_};
  if (!endings_.insert_or_assign(what, 0).second)
    return;
  ending_order_.push_back(what);
  if (ending_order_.size() <= endings_max)
    return;
  endings_.erase(ending_order_.front());
  ending_order_.pop_front();
}

void item_waits::ending(const std::string& what) {
  note_ending(what);
  ended({what});
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
