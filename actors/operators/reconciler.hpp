#pragma once

// Queues what is due and what was missed: each reconciler runs once in each of
// its spans of time, whoever is started again meanwhile, because an order's
// name follows from reconciler, owner and span.

#include "messages/actor_with.hpp"
#include "messages/actors.hpp"
#include "messages/orders.hpp"
#include "messages/ports/fixity_book.hpp"
#include "messages/ports/work_reader.hpp"
#include "messages/shard.hpp"
#include "messages/values/clock.hpp"
#include "messages/work.hpp"

#include <caf/typed_event_based_actor.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace depositd::operators {

struct reconciler_options {
  std::vector<reconciler_settings> all;
  shards_actor shard;                  ///< whose control state is followed
  std::shared_ptr<fixity_book> checks; ///< null: nothing is known of files
  std::shared_ptr<work_reader> work;
  std::vector<std::string> cold_storage;
  /// These wait until it is durable, within a bound.
  std::function<caf::expected<item_id>(submit_batch)> submit;
  std::function<caf::error(std::vector<event>)> propose;
  /// Of engines that share their users one does it; null: this one.
  std::function<bool()> leads;
  engine_clock clock = engine_clock::system();
  std::chrono::milliseconds retry{60'000}; ///< after what could not be done
};

struct reconciler_state {
  using interface = reconciler_actor;

  reconciler_options options;
  control_snapshot control; ///< null: not known yet

  static inline const char* name = "reconciler";
};

/// Blocks on the inventory and the shards, so wiring spawns it detached.
reconciler_actor::behavior_type reconciler(actor_with<reconciler_state>* self,
                                           reconciler_options options);

} // namespace depositd::operators
