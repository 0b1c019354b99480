#pragma once

// Collapsing of equal payloads over a whole queue (`between_polls`). Of the
// copies that were never handed out only the first to arrive is admitted, that
// is ready; the others are its shadows. When a copy is handed out the others
// collapse into it. Whatever was handed out once is forgotten here, so it never
// merges with a later equal payload.

#include "messages/values/types.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace depositd::rules {

class dedup_index {
public:
  struct copy {
    item_id id = 0;
    std::uint32_t member = 0;
    std::uint64_t size = 0;
    std::uint8_t band = 0;

    friend bool operator==(const copy&, const copy&) = default;
  };

  /// A copy came, or came back without having been handed out. True if it is
  /// admitted, false if it is a shadow. A known id is not admitted again.
  bool arrive(std::uint64_t digest, const copy& x);

  /// The copy was handed out, admitted or not: it is the survivor. Returns the
  /// copies to collapse, by id; later copies are a new group. An id that does
  /// not wait here leaves the group be.
  std::vector<copy> deliver(std::uint64_t digest, item_id id);

  /// A copy left without being handed out (finished, purged, parked, moved).
  /// Returns the oldest shadow if it is to be admitted in its place.
  std::optional<copy> left(std::uint64_t digest, item_id id);

  /// Whether this copy waits, and is the admitted one.
  bool admitted(std::uint64_t digest, item_id id) const noexcept;

  /// Copies that wait, shadows included.
  std::size_t size() const noexcept {
    return waiting_.size();
  }

private:
  /// By digest, then id: the copies of a payload stand together, oldest first.
  std::map<std::pair<std::uint64_t, item_id>, copy> waiting_;
  /// The admitted copy of each payload that waits.
  std::unordered_map<std::uint64_t, item_id> admitted_;
};

} // namespace depositd::rules
