#pragma once

// The node port as the settings want it.

#include "adapters/node/gate/node_port.hpp"
#include "config/descriptors.hpp"
#include "config/settings.hpp"

#include <caf/actor_system.hpp>

#include <memory>

namespace depositd {

/// Nothing listens yet. `ec::bad_setting` names the key and the file that is
/// wrong.
caf::expected<std::unique_ptr<gate::node_port>>
open_node_port(caf::actor_system& system, const depositd_settings& settings,
               const descriptor_shares& shares, admission admit = {});

} // namespace depositd
