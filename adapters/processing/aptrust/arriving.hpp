#pragma once

// What is made of a bag that is found in a receiving place. Pure, and tested
// without one. It stands here and not in actors/rules because who reads
// receiving places is an adapter, and adapters know no room of actors.

#include "messages/values/work_rows.hpp"

#include <cstdint>

namespace depositd::aptrust {

/// What became of the last item with this name, tag and institution.
enum class last_item : std::uint8_t {
  none,
  unfinished, ///< or waits for an administrator
  failed,     ///< the same bytes would fail again
  cancelled,  ///< it was never looked at to the end, or was taken away
  succeeded,
};

/// Of the bag's batch and its job; null: it has none. A batch that failed
/// without a job was never about the bag's bytes: it is an administrator's.
last_item became_of(const batch_row& batch, const job_row* job);

struct arrival_facts {
  last_item last = last_item::none;
  bool object_active = false;  ///< the object is stored and not deleted
  bool past_retention = false; ///< of bags that failed
};

enum class arrival : std::uint8_t {
  skip,
  create, ///< an item
  remove, ///< the bag: it was kept long enough for people to look into it
};

arrival decide_arrival(const arrival_facts& x);

} // namespace depositd::aptrust
