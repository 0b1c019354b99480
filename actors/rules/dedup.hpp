#pragma once

// Collapsing of equal payloads over a whole queue (`between_polls`): when an
// item is about to be handed out, the oldest copy that was never handed out
// survives, the others are collapsed into it. Whatever was handed out once
// never merges with a later equal payload.

#include "messages/types.hpp"

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace depositd::rules {

class dedup_index {
public:
  struct copy {
    item_id id = 0;
    std::uint32_t member = 0;

    friend bool operator==(const copy&, const copy&) = default;
  };

  /// A fresh item is pending. Ids may come in any order; a known one is
  /// ignored.
  void add(std::uint64_t digest, copy x);

  /// An item left without being handed out (purged, finished by id). Unknown
  /// ids are ignored.
  void remove(std::uint64_t digest, item_id id);

  /// `chosen` is about to be handed out. Returns the copies to collapse, by
  /// id; if the oldest copy is not the chosen one, the survivor is the oldest,
  /// and the chosen one is among the collapsed. The group is closed: later
  /// equal payloads start a new one. A chosen item that does not wait here
  /// (handed out before, and back) survives alone and leaves the group be.
  struct collapse {
    copy survivor;
    std::vector<copy> collapsed;
  };
  collapse hand_out(std::uint64_t digest, copy chosen);

  /// Number of distinct payloads that wait.
  std::size_t distinct() const noexcept;

private:
  /// By digest, then id: the copies of a payload stand together, oldest first.
  using by_digest = std::map<std::pair<std::uint64_t, item_id>, std::uint32_t>;

  bool alone(by_digest::const_iterator at) const noexcept;

  by_digest waiting_;
  std::size_t distinct_ = 0;
};

} // namespace depositd::rules
