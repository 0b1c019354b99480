#pragma once

// What becomes of a hand-out whose body could not be read at its place: the
// actor of its user knows whether the body has moved or the claim must end.

#include "messages/journal.hpp"

#include <vector>

namespace depositd::queue {

/// From the body reader through the shard to users' actors, each of which gets
/// those of its own.
struct look_again {
  std::vector<hand_out> items;
};

/// From a user to its queues: items that were on their way to the processor
/// will not come. A queue that does not know the processor ignores it.
struct hand_outs_lost {
  caf::strong_actor_ptr to;
  std::uint32_t count = 0;
};

} // namespace depositd::queue

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(depositd::queue::look_again)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(depositd::queue::hand_outs_lost)
