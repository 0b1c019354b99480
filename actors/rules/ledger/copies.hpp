#pragma once

// Items that several queues get a copy of: whose bytes are written once, and
// who refers to them.

#include "actors/rules/ledger/ledger.hpp"

#include <string>

namespace depositd::rules {

/// A copy of an item that comes with it, in one record.
item_copied copy_of(const item_enqueued& x, item_id id,
                    const std::string& queue);

/// Copies of one that came earlier, in one record with each other. If its bytes
/// are in memory the first copy writes them again, as nobody knows yet where
/// they are, and the others refer to it. Else all refer to their place.
class later_copies {
public:
  /// `of` outlives this.
  explicit later_copies(const waiting_item& of) : of_(of) {
    // nop
  }

  event next(item_id id, const std::string& queue);

private:
  const waiting_item& of_;
  item_id written_ = 0; ///< the copy that has the bytes; 0: none
};

} // namespace depositd::rules
