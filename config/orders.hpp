#pragma once

// Orders about what is stored: where things are given back, and who takes and
// queues orders.

#include "adapters/processing/stages/stage_tools.hpp"
#include "config/settings.hpp"
#include "config/work_cut.hpp"
#include "messages/actors.hpp"

#include <caf/actor_system.hpp>

#include <functional>

namespace depositd {

/// Opens what gives things back, and says what applies to orders.
/// `ec::bad_setting` names the place that cannot be used.
caf::error open_orders(const depositd_settings& settings,
                       const work_cut_ptr& cut,
                       stages::stage_tools& out);

/// Submits batches to `shards` from threads of handlers.
std::function<caf::expected<item_id>(submit_batch)>
submitter_to(caf::actor_system& system, const shards_actor& shards);

struct order_actors {
  order_desk_actor desk;
  reconciler_actor due;
};

/// `leads`: of engines that share their users this one queues what is due; null
/// where they are not shared.
order_actors spawn_orders(caf::actor_system& system,
                          const depositd_settings& settings,
                          const stages::stage_tools& with,
                          const shards_actor& shards,
                          const catalogue_actor& catalogue,
                          const std::function<bool()>& leads);

} // namespace depositd
