#pragma once

// Schedulers and the sources that they pull from, as the settings say.

#include "actors/engine/core.hpp"
#include "actors/sources/schedulers.hpp"
#include "config/settings.hpp"
#include "messages/actors.hpp"

#include <caf/actor_system.hpp>

#include <memory>

namespace depositd {

/// Those of one shard, while it is owned here.
struct shard_schedulers {
  schedulers_actor actor; ///< null: none
  std::shared_ptr<sources::running_count> running;
};

struct shard_schedulers_options {
  const depositd_settings& settings;
  const depositd::engine::core_actors& core;
  shards_actor shards; ///< the core's shard, or a router
  shard_number shard = 0;
  shard_number shard_count = 1;
};

/// Has the schedulers of one shard from now on, whatever is set of them later.
shard_schedulers spawn_schedulers(caf::actor_system& system,
                                  shard_schedulers_options options);

/// Nothing is pulled or fed any more when this returns. Blocks until what was
/// waited for outside has been cancelled, some seconds at most.
void end_schedulers(caf::actor_system& system, const shard_schedulers& x);

} // namespace depositd
