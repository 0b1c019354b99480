#pragma once

// Whoever goes by the control state hears of it here, first and with every
// change, without asking again and again by itself.

#include "messages/actors.hpp"

#include <caf/actor.hpp>
#include <caf/scheduled_actor.hpp>

#include <chrono>

namespace depositd {

/// Whom the control state can be asked for: a shard, or the router to all.
using control_source_actor =
  caf::typed_actor<caf::replies_to<watch_control>::with<control_changed>>;

/// The control state could not be had; it is asked for again.
struct control_unknown {
  caf::error why;
};
DEPOSITD_LOCAL(control_unknown);

struct follow_options {
  std::chrono::milliseconds patience{30'000};   ///< for an answer
  std::chrono::milliseconds again_after{1'000}; ///< when there was none
};

/// See below; `tells`: of failures too.
caf::actor spawn_follower(caf::scheduled_actor* self,
                          const control_source_actor& source, bool tells,
                          follow_options options);

/// Sends `self` the control state as `control_changed`, now and after every
/// change; `control_unknown` too, if it takes that. Ends with `self`, or when
/// told to exit: then nothing comes from this source any more but what is on
/// its way.
template <class Self>
caf::actor follow_control(Self* self, const control_source_actor& source,
                          follow_options options = {}) {
  using messages = typename Self::signatures;
  using caf::detail::tl_contains;
  static_assert(tl_contains<messages, caf::reacts_to<control_changed>>::value);
  return spawn_follower(
    self, source, tl_contains<messages, caf::reacts_to<control_unknown>>::value,
    options);
}

} // namespace depositd
