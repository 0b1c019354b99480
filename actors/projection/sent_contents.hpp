#pragma once

#include "messages/ports/journal_store.hpp"
#include "messages/values/rows.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace depositd::projection {

/// What was sent with the submissions of a slice, taken out of the groups while
/// they are read: they need not be read again.
class sent_contents {
public:
  /// A record of the group, whose bodies were skipped.
  void add(const record& x, const stored_group& in);

  std::uint64_t bytes() const noexcept {
    return bytes_;
  }

  /// Puts all into the rows of the slice that was made of these records.
  void move_to(slice& x);

private:
  std::vector<std::pair<item_id, std::string>> files_;
  std::uint64_t bytes_ = 0;
};

} // namespace depositd::projection
