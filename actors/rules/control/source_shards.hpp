#pragma once

// Where sources may go, if there are several shards.

#include "messages/values/control.hpp"
#include "messages/values/errors.hpp"
#include "messages/values/events.hpp"
#include "messages/values/sharding.hpp"

namespace depositd::rules {

/// Of so many shards: how far a source has been read is known in that of its
/// scheduler only, so it cannot go to another one. `ec::invalid_argument`.
caf::error check_shard(const control_state& state, const source_changed& x,
                       shard_number shards);

} // namespace depositd::rules
