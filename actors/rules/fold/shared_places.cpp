#include "actors/rules/fold/shared_places.hpp"

#include <algorithm>
#include <tuple>

namespace depositd::rules {

void shared_places::sort(std::vector<body_location>& live) {
  const auto before = [](const auto& a, const auto& b) {
    return std::tie(a.group, a.offset, a.length)
           < std::tie(b.group, b.offset, b.length);
  };
  if (!std::is_sorted(live.begin(), live.end(), before)) // by id, they may be
    std::sort(live.begin(), live.end(), before);
}

void shared_places::begin_slice() {
  slice_.clear();
  group_before_ = group_max_;
}

bool shared_places::add(const body_location& x) {
  group_max_ = std::max(group_max_, x.group);
  // Slices bring bodies of later groups than all before; a place that is older
  // can only be that of an item which was there when the slice began.
  const auto known = x.group <= group_before_;
  if (!known && slice_.insert(x).second)
    return true;
  ++others_[x];
  return false;
}

bool shared_places::drop(const body_location& x) {
  const auto at = others_.find(x);
  if (at == others_.end())
    return true;
  if (--at->second == 0)
    others_.erase(at);
  return false;
}

} // namespace depositd::rules
