#include "actors/rules/fold/shared_places.hpp"

#include <algorithm>

namespace depositd::rules {

void shared_places::begin_part() {
  part_.clear();
  group_before_ = group_max_;
}

bool shared_places::add(const body_location& x) {
  group_max_ = std::max(group_max_, x.group);
  // Slices bring bodies of later groups than all before; a place that is older
  // can only be that of an item which was there when the slice began.
  const auto known = slices_ && x.group <= group_before_;
  if (!known && part_.insert(x).second)
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
