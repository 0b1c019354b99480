#include "actors/rules/ledger/priority_lane.hpp"

#include <algorithm>
#include <cassert>
#include <iterator>
#include <utility>

namespace depositd::rules {

namespace {

/// The first item that is not older.
template <class Items>
auto first_from(Items& items, item_id id) {
  return std::lower_bound(
    items.begin(), items.end(), id,
    [](const stored_item& x, item_id sought) { return x.id < sought; });
}

} // namespace

void priority_lane::add(stored_item&& x) {
  if (fresh_.empty() || fresh_.back().id < x.id)
    fresh_.push_back(std::move(x));
  else
    returned_.emplace(x.id, std::move(x));
}

const stored_item& priority_lane::front() const {
  assert(!empty());
  if (fresh_.empty())
    return returned_.begin()->second;
  if (returned_.empty() || fresh_.front().id < returned_.begin()->first)
    return fresh_.front();
  return returned_.begin()->second;
}

std::optional<stored_item> priority_lane::take(item_id id) {
  if (const auto back = returned_.find(id); back != returned_.end()) {
    auto out = std::move(back->second);
    returned_.erase(back);
    return out;
  }
  const auto at = locate(id);
  if (at == fresh_.end())
    return std::nullopt;
  std::optional<stored_item> out{std::move(*at)};
  at->live = false;
  ++gaps_;
  close_gaps();
  return out;
}

stored_item* priority_lane::find(item_id id) {
  if (const auto back = returned_.find(id); back != returned_.end())
    return &back->second;
  const auto at = locate(id);
  return at != fresh_.end() ? &*at : nullptr;
}

std::size_t priority_lane::older_than(item_id id) const {
  const auto at = first_from(fresh_, id);
  auto out = static_cast<std::size_t>(at - fresh_.begin());
  if (gaps_ > 0)
    out -= static_cast<std::size_t>(
      std::count_if(fresh_.begin(), at, [](auto& x) { return !x.live; }));
  return out
         + static_cast<std::size_t>(
           std::distance(returned_.begin(), returned_.lower_bound(id)));
}

std::deque<stored_item>::iterator priority_lane::locate(item_id id) {
  if (fresh_.empty() || id < fresh_.front().id || id > fresh_.back().id)
    return fresh_.end();
  // The ends are where claims and commits look.
  if (id == fresh_.front().id)
    return fresh_.begin();
  const auto at = first_from(fresh_, id);
  return at->id == id && at->live ? at : fresh_.end();
}

void priority_lane::close_gaps() {
  constexpr std::size_t few = 32;
  while (!fresh_.empty() && !fresh_.front().live) {
    fresh_.pop_front();
    --gaps_;
  }
  // Each sweep is paid for by as many removals as it moves items.
  if (gaps_ > few && gaps_ * 2 > fresh_.size()) {
    std::erase_if(fresh_, [](const stored_item& x) { return !x.live; });
    gaps_ = 0;
  }
}

} // namespace depositd::rules
