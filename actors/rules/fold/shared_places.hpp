#pragma once

// Bodies that several live items refer to, such as copies of a message in the
// channels of a topic, so that whoever adds up bytes counts each once.

#include "messages/values/types.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace depositd::rules {

/// Takes what the tables have, then slice by slice. Remembers only what is
/// shared, and the places of one slice: it must not cost as much as all that
/// lives.
class shared_places {
public:
  /// Places of all live items, which are sorted. Shows each once, and how many
  /// items have their bodies there.
  template <class Show>
  void take_tables(std::vector<body_location>& live, Show show) {
    sort(live);
    for (auto at = live.begin(); at != live.end();) {
      const auto& x = *at;
      const auto next =
        std::find_if(at, live.end(), [&](const auto& y) { return y != x; });
      const auto items = static_cast<std::uint32_t>(next - at);
      if (items > 1)
        others_[x] += items - 1;
      group_max_ = std::max(group_max_, x.group);
      show(x, items);
      at = next;
    }
  }

  /// What is added from now on is of the next slice.
  void begin_slice();

  /// A live item has its body there. True if no other one has.
  bool add(const body_location& x);

  /// An item has its body there no longer. True if none has.
  bool drop(const body_location& x);

  /// Places that several items have.
  std::size_t size() const {
    return others_.size();
  }

private:
  struct hash {
    std::size_t operator()(const body_location& x) const noexcept {
      return std::hash<std::uint64_t>{}((x.group << 24) ^ x.offset);
    }
  };

  static void sort(std::vector<body_location>& live);

  std::uint64_t group_max_ = 0;    ///< of all that was added
  std::uint64_t group_before_ = 0; ///< the same, before this slice
  std::unordered_set<body_location, hash> slice_;
  /// Items at a place beyond the first one; none is zero.
  std::unordered_map<body_location, std::uint32_t, hash> others_;
};

} // namespace depositd::rules
