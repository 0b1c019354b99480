#pragma once

#include "messages/actor_with.hpp"
#include "messages/actors.hpp"
#include "messages/ports/source_reader.hpp"
#include "messages/sources.hpp"

#include <caf/typed_event_based_actor.hpp>

#include <functional>
#include <memory>

namespace depositd::sources {

struct gauge_options {
  /// Called on the actor's own thread with the first question, and again after
  /// an error.
  std::function<caf::expected<std::unique_ptr<downstream_gauge>>()> make_gauge;
  std::shared_ptr<void> counted; ///< of a `running_count`; may be null
};

struct gauge_state {
  using interface = gauge_actor;

  gauge_options options;
  std::unique_ptr<downstream_gauge> gauge; ///< null: not made yet

  static inline const char* name = "gauge";
};

/// Asks how much is left behind a queue. It waits for the outside world: must
/// be detached outside the deterministic scheduler.
gauge_actor::behavior_type gauge(actor_with<gauge_state>* self,
                                 gauge_options options);

} // namespace depositd::sources
