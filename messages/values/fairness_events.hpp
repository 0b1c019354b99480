#pragma once

// What queues share out between their users, as operators set it. Control
// events like those of control_events.hpp.

#include "messages/values/fields.hpp"
#include "messages/values/scheduling.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace depositd {

/// What a queue shares out fairly. `turns`: as if nothing had ever been said.
struct fairness_changed {
  std::string queue;
  fair_by by = fair_by::turns;
  /// Revision of the settings under which this began, given by the shard that
  /// decides them: sums of another one count in another unit, or are over.
  std::uint64_t since = 0;

  friend bool operator==(const fairness_changed&,
                         const fairness_changed&) = default;
};
DEPOSITD_FIELDS(fairness_changed, queue, by, since);

/// Queues of the last start's configuration that are not fair by turns.
struct fairness_seen {
  std::vector<fairness_changed> queues;

  friend bool operator==(const fairness_seen&, const fairness_seen&) = default;
};
DEPOSITD_FIELDS(fairness_seen, queues);

} // namespace depositd
