#pragma once

// Collapsing of equal payloads over a whole queue (`between_polls`): when an
// item is about to be handed out, the oldest copy that was never handed out
// survives, the others are collapsed into it. Whatever was handed out once
// never merges with a later equal payload.

#include "messages/types.hpp"

#include <cstdint>
#include <deque>
#include <unordered_map>
#include <vector>

namespace depositd::rules {

class dedup_index {
public:
  struct copy {
    item_id id = 0;
    std::uint32_t member = 0;

    friend bool operator==(const copy&, const copy&) = default;
  };

  /// A fresh item is pending.
  void add(std::uint64_t digest, copy x);

  /// An item left without being handed out (purged, finished by id).
  void remove(std::uint64_t digest, item_id id);

  /// `chosen` is about to be handed out. Returns the copies to collapse; if
  /// the oldest copy is not the chosen one, the survivor is the oldest, and
  /// the chosen one is among the collapsed. The group is closed: later equal
  /// payloads start a new one.
  struct collapse {
    copy survivor;
    std::vector<copy> collapsed;
  };
  collapse hand_out(std::uint64_t digest, copy chosen);

  /// Number of distinct payloads that wait.
  std::size_t distinct() const noexcept;

private:
  std::unordered_map<std::uint64_t, std::deque<copy>> waiting_;
};

} // namespace depositd::rules
