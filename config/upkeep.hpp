#pragma once

// What an engine does now and then, whatever comes in.

#include "adapters/processing/stages/chore.hpp"
#include "adapters/processing/stages/stage_tools.hpp"
#include "config/settings.hpp"
#include "messages/actors.hpp"

#include <caf/actor_system.hpp>

#include <functional>
#include <vector>

namespace depositd {

struct upkeep_actors {
  review_teller_actor reviews; ///< null: nobody wants to know
  stages::chore_actor folders; ///< removes working folders
  /// Gives up those of deleted jobs, and looks at the clock.
  stages::chore_actor locks;
  std::vector<stages::chore_actor> receiving; ///< find bags
};

/// `leads`: whether this engine does what only one of those that share their
/// users has to, asked when it matters; null: it is the only one. Bags that are
/// found are submitted to `shards`.
upkeep_actors spawn_upkeep(caf::actor_system& system,
                           const depositd_settings& settings,
                           const stages::stage_tools& with,
                           const std::function<bool()>& leads,
                           const shards_actor& shards);

} // namespace depositd
