#pragma once

// Queues that come with their first use, and go when nobody uses them.

#include "messages/values/control.hpp"
#include "messages/values/errors.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace depositd::rules {

/// A queue that somebody uses and that is not there.
struct founding {
  std::string queue;
  std::string user; ///< whose first use it is; empty: the engine's own
  std::uint32_t queues_max = no_cap; ///< of a key without an own number
};

/// Whether a key sends as this user, or anybody does.
bool is_key_user(const control_state& state, const std::string& user);

/// Why the user may not found one more queue; no error if it may.
caf::error check_founding(const control_state& state, const std::string& user,
                          std::uint32_t queues_max);

/// The events that make the queue. `ec::invalid_argument` with a text for the
/// owner of the key, who has as many as it may.
caf::expected<std::vector<event>> found(const control_state& state,
                                        const founding& x);

/// Whether a founded queue may go once nothing is in it: nobody has set
/// anything for it, and no move has to do with it.
bool may_retire(const control_state& state, const std::string& queue);

} // namespace depositd::rules
