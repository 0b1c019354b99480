#pragma once

// Changes of a slice in the order of the rows that they are of.

#include "messages/values/row_changes.hpp"

#include <algorithm>
#include <vector>

namespace depositd::rows {

/// Refers to changes, which may name an id more than once.
template <class Change>
class changes_by_id {
public:
  explicit changes_by_id(const std::vector<Change>& changes) {
    for (const auto& x : changes)
      sorted_.push_back(&x);
    const auto lower = [](const auto* x, const auto* y) {
      return x->id < y->id;
    };
    std::stable_sort(sorted_.begin(), sorted_.end(), lower);
    for (const auto* x : sorted_)
      if (ids_.empty() || ids_.back() != x->id)
        ids_.push_back(x->id);
  }

  /// Each once, rising, as the rows are in a file: neighbours share their
  /// pages.
  const std::vector<item_id>& ids() const noexcept {
    return ids_;
  }

  /// Gives `f` the changes of the row in the order in which they came.
  template <class F>
  void each(item_id id, const F& f) const {
    auto at = std::lower_bound(
      sorted_.begin(), sorted_.end(), id,
      [](const auto* x, item_id wanted) { return x->id < wanted; });
    for (; at != sorted_.end() && (*at)->id == id; ++at)
      f(**at);
  }

private:
  std::vector<const Change*> sorted_;
  std::vector<item_id> ids_;
};

} // namespace depositd::rows
